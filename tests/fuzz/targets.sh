# What run.sh and night.sh know about the targets: to be sourced in the folder of the project.
#
# A target fuzz_NAME uses the seeds in tests/fuzz/seeds/NAME and the words in tests/fuzz/NAME.dict, if they exist. fuzz_text also
# uses the dumps in tests/corpus and the cases in tests/text/cases, fuzz_file the dumps and the protos, and fuzz_edit small dumps.

# Sets `targets` to the programs of build $1, sorted. Ends the script if there are none.
find_targets() {
  mapfile -t targets < <(find "$1/fuzz" -maxdepth 1 -type f -perm -u+x -name 'fuzz_*' | sort)
  if ((${#targets[@]} == 0)); then
    echo "fuzz: $1 has no targets" >&2
    exit 1
  fi
}

# The NAME of a program fuzz_NAME.
name_of() { echo "${1##*/fuzz_}"; }

# Writes each text of tests/text/cases to a file in folder $1.
split_cases() {
  awk -v folder="$1" '
    /^### / {
      if (body) print "}" > file
      close(file)
      file = folder "/case-" ++count
      body = $0 ~ /\| *body/
      if (body) printf "HloModule m\n\nENTRY e {\n" > file
      next
    }
    file { print > file }
    END { if (body) print "}" > file }' tests/text/cases/*.txt
}

# Sets `arguments` to the flags of target NAME, whose findings go to the files FINDINGS*, and `seeds` to its folders of seeds. Files
# that must be made go to folder MADE.
#
#   describe_target NAME FINDINGS MADE
describe_target() {
  local name=$1 findings=$2 made=$3 text
  arguments=(-timeout=10 -rss_limit_mb=2048 -max_len=65536 -verbosity=0 -print_final_stats=1 "-artifact_prefix=$findings")
  if [[ -f tests/fuzz/$name.dict ]]; then arguments+=("-dict=tests/fuzz/$name.dict"); fi
  seeds=()
  if [[ -d tests/fuzz/seeds/$name ]]; then seeds+=("tests/fuzz/seeds/$name"); fi
  if [[ $name == file ]]; then seeds+=(tests/corpus tests/proto/samples); fi
  if [[ $name == edit ]]; then  # four bytes that choose the edits stand before each text
    mkdir -p "$made"
    for text in tests/corpus/y_*.hlo tests/predict/dumps/*.hlo examples/narrow_heads.v5e.hlo; do
      if (($(stat -c %s "$text") >= 16384)); then continue; fi
      { printf 'edit'; cat "$text"; } >"$made/$(basename "$text")"
      # Without the number of partitions, the groups imply it, and edits change it.
      if grep -q ', num_partitions=' "$text"; then
        { printf 'edit'; sed 's/, num_partitions=[0-9]*//' "$text"; } >"$made/uncounted_$(basename "$text")"
      fi
    done
    seeds+=("$made")
    arguments+=(-entropic=0)  # weighing the many features of a prediction would take three quarters of the time
  fi
  if [[ $name == text ]]; then
    mkdir -p "$made"
    split_cases "$made"
    seeds+=(tests/corpus "$made")
  fi
}
