"builtin.module"() ({
  "a.b"() ({
  ^bb0(%arg0: i32, %arg1: i32):
    %2:2 = "a.c"(%arg0, %arg0, %arg1)[^bb1, ^bb2] {r = dense_resource<k> : tensor<4xi8>} : (i32, i32, i32) -> (i32, index)
  ^bb1:
    "a.d"(%2#1)[^bb1] : (index) -> ()
  ^bb2(%3: i32):
    %4 = "a.e"(%3, %2#0) ({
      %5 = "r"() : () -> i32
      "a.y"(%5, %3) : (i32, i32) -> ()
    }, {
    }, {
    ^bb0:
    }) : (i32, i32) -> f32
  }) : () -> ()
  "builtin.module"() ({
    "builtin.module"() ({
      "a.z"() : () -> ()
    }) : () -> ()
  }) {sym_name = "inner"} : () -> ()
  "a.f"(%0, %1#1) : (f32, i1) -> ()
  %0 = "a.g"() : () -> f32
  %1:2 = "a.h"(%0) : (f32) -> (i1, i1)
}) {a.x = 1 : i32, sym_name = "n"} : () -> ()
