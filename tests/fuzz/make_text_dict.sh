#!/usr/bin/env bash
# Makes the dictionary of fuzz_text from the tables of opcodes, element types and attributes, and from other words of the
# grammar:
#
#   bash tests/fuzz/make_text_dict.sh > tests/fuzz/text.dict
#   bash tests/fuzz/make_text_dict.sh --check          fails if text.dict differs from the output
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

words() { sed -n "s/^$1([A-Za-z0-9_]*, \"\([^\"]*\)\".*/\1/p" "include/hloroof/$2"; }

dictionary() {
  echo "# Made by make_text_dict.sh"
  words HLOROOF_OPCODE opcode.def | sed 's/.*/"&("/'
  words HLOROOF_ELEMENT_TYPE element_type.def | sed 's/.*/"&[]"/'
  words HLOROOF_ATTRIBUTE attribute.def | sed 's/.*/", &="/'
  # Each line below is one word; \ and " are escaped as libFuzzer reads them.
  sed 's/[\\"]/\\&/g; s/.*/"&"/' <<'WORDS'
HloModule m
ENTRY e {
ROOT r = 
%x = 
FileNames
FunctionNames
FileLocations
StackFrames
-start(
-update(
-done(
) -> 
<=
...
{...}
/*index=5*/
/* */
// -----
:T(8,128)(2,1)
:T(*,128)
S(5)
E(4)
L(1024)
M(128)
SC(0:10)(1:4,5)
D(D,S)
#0
#1#0
inf
-inf
nan
-nan(0x1)
1e400
<=8
?
b(f32[2])
[2,4]<=[4,2]T(1,0)
mesh['x'=2,'y'=4] {'y'}
maximal_mesh[device_id=1] {}
device_ids=
devices=[2,2]0,1,2,3
last_tile_dim_replicate
last_tile_dims={manual, replicated}
shard_as 1
{maximal device=0}
{replicated}
{manual}
size=3x3 stride=2x2 pad=0_1x0_1
b01f_01io->b01f
[0:4:2]
{{0,1},{2,3}}
{0}: (0, {}, may-alias)
may-alias
must-alias
execution_thread="t"
kind=kLoop
direction=LT
"a":{}
\303\251
\x41
WORDS
}

if [[ ${1:-} == --check ]]; then
  diff <(dictionary) tests/fuzz/text.dict
else
  dictionary
fi
