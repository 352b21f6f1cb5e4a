" Colors for HLO text without a language server or a parser.
if exists("b:current_syntax")
  finish
endif
syntax sync minlines=1
setlocal synmaxcol=1000
syntax keyword hloKeyword HloModule ENTRY ROOT
syntax keyword hloBoolean true false
syntax match hloComment "/\*.\{-}\*/"
syntax match hloComment "//.*$"
syntax match hloName "%[A-Za-z_][A-Za-z0-9_.-]*"
syntax match hloType "\<\(pred\|token\|opaque\|bf16\|[suf][0-9]\+[a-z0-9]*\|c64\|c128\)\ze\["
syntax match hloDimensions "\[[0-9,<=]*\]"
syntax match hloLayout "{[0-9,]*:[^}]*}"
syntax match hloOpcode "\(^\|[ )}]\)\@<=[a-z][a-z0-9-]*\ze("
syntax match hloAttribute "\<[a-z_-]\+\ze="
syntax region hloString start=+"+ skip=+\\.+ end=+"+ oneline
highlight default link hloKeyword Keyword
highlight default link hloBoolean Boolean
highlight default link hloComment Comment
highlight default link hloName Identifier
highlight default link hloType Type
highlight default link hloDimensions Number
highlight default link hloLayout Special
highlight default link hloOpcode Function
highlight default link hloAttribute Label
highlight default link hloString String
let b:current_syntax = "hlo"
