# Converts the comments of a public header to the form that doxygen reads. The project writes plain //. Code in a
# comment (four columns in, or between the lines of an example) is shown verbatim.
#
# A comment on separate lines describes the code that follows. A comment at the end of a line describes the code on that
# line.
function flush_code() {
  if (in_code) print indent "/// @endcode"
  in_code = 0
}
function quoted(text) {
  gsub(/\\/, "\\\\", text)
  gsub(/[<>@#&%$]/, "\\\\&", text)
  return text
}
# Specializations of other projects' templates are nothing to refer to.
/^template <[^>]*>$/ {
  held = $0
  next
}
/^struct (std|Catch)::/ { skipping = 1 }
skipping {
  held = ""
  if ($0 ~ /^};/) skipping = 0
  next
}
held != "" {
  print held
  held = ""
}
{
  if (match($0, /^ *\/\//)) {
    indent = substr($0, 1, RLENGTH - 2)
    text = substr($0, RLENGTH + 1)
    if (text ~ /^   +[^ ]/) {
      if (!in_code) print indent "/// @code"
      in_code = 1
      print indent "///" text
    } else if (in_code && text ~ /^ *$/) {
      print indent "///"
    } else {
      flush_code()
      print indent "///" quoted(text)
    }
    next
  }
  flush_code()
  # Behind code, and not inside a string: the comment after the last two spaces and slashes.
  if (match($0, /  \/\/ [^"]*$/)) {
    print substr($0, 1, RSTART - 1) "  ///<" quoted(substr($0, RSTART + 4))
    next
  }
  print
}
END { flush_code() }
