// The roles of mesh axes: from what the collectives along them send.
#include "lib/analysis/axis_roles.h"

#include <fstream>
#include <string>

#include "hloroof/analysis.h"
#include "hloroof/parse.h"
#include "lib/analysis/mesh.h"
#include "tests/catch.h"
#include "tests/dump.h"
#include "tests/paths.h"

namespace hloroof::internal {
namespace {

// "tensor 8", with "-" for an axis without a role, outermost first.
std::string roles_of(const Module& module) {
  const LogicalMesh mesh = infer_mesh(module);
  std::string text;
  for (const MeshAxis& axis : mesh.axes) {
    text += text.empty() ? "" : " x ";
    std::string roles;
    for (const AxisRole role : axis.roles) roles += (roles.empty() ? "" : "+") + std::string(axis_role_name(role));
    text += (roles.empty() ? "-" : roles) + " " + std::to_string(axis.size);
  }
  return text;
}

TEST_CASE("the role of an axis follows from where an array comes from and where it goes") {
  const std::string attributes = ", channel_id=1, replica_groups=[1,8]<=[8], use_global_device_ids=true";
  const struct {
    const char* name;
    std::string parameters, body, roles;
  } cases[] = {
      {"partial sums that have the shape of an argument and are returned",
       "  x = f32[128,256] parameter(0)\n  up = f32[256,128] parameter(1)\n  down = f32[128,256] parameter(2)\n",
       "  h = f32[128,128] dot(x, up), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
       "  y = f32[128,256] dot(h, down), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
       "  ROOT r = f32[128,256] all-reduce(y), to_apply=sum" +
           attributes + "\n",
       "tensor 8"},
      {"weights that are gathered before they are used",
       "  x = f32[64,256] parameter(0)\n  up = f32[32,128] parameter(1)\n  down = f32[16,256] parameter(2)\n",
       "  all_up = f32[256,128] all-gather(up), dimensions={0}" + attributes +
           "\n  h = f32[64,128] dot(x, all_up), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
           "  all_down = f32[128,256] all-gather(down), dimensions={0}" +
           attributes +
           "\n  ROOT y = f32[64,256] dot(h, all_down), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
       "FSDP 8"},
      {"a weight that is copied as bytes, in two pieces, before it is gathered",
       "  x = bf16[256,256] parameter(0)\n  up = bf16[256,1024] parameter(1)\n  w = bf16[256,2048] parameter(2)\n",
       "  up_bytes = s8[524288] bitcast(up)\n  p0 = s8[262144] slice(up_bytes), slice={[0:262144]}\n"
       "  p1 = s8[262144] slice(up_bytes), slice={[262144:524288]}\n"
       "  joined = bf16[256,1024] custom-call(p0, p1), custom_call_target=\"ConcatBitcast\"\n"
       "  all_up = bf16[2048,1024] all-gather(joined), dimensions={0}" +
           attributes +
           "\n  s = bf16[256,2048] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
           "  ROOT h = bf16[256,1024] dot(s, all_up), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
       "FSDP 8"},
      {"the gradient of a weight that it updates", "  x = f32[64,256] parameter(0)\n  w = f32[256,256] parameter(1)\n",
       "  y = f32[64,256] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
       "  dw = f32[256,256] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
       "  g = f32[256,256] all-reduce(dw), to_apply=sum" +
           attributes + "\n  ROOT n = f32[256,256] subtract(w, g)\n",
       "data 8"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto module = parse_module(
        "HloModule m, num_partitions=8\n\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
        "  ROOT s = f32[] add(a, b)\n}\n\nENTRY e {\n" +
        c.parameters + c.body + "}\n");
    INFO(module.status());
    REQUIRE(module.ok());
    CHECK(roles_of(*module) == c.roles);
  }
}

TEST_CASE("the roles of programs whose author said what each axis is") {
  if (!std::ifstream(shared_path("corpus/stories/ffn_tp.hlo"))) HLOROOF_SKIP("no corpus");
  const struct {
    const char* file;
    const char* roles;
  } rows[] = {
      {"stories/ffn_tp", "tensor 8"},
      {"stories/ffn_tp2", "tensor 8"},
      {"stories/ffn_tp16", "tensor 8"},
      {"stories/logits", "tensor 8"},
      {"stories/ffn_fsdp", "FSDP 8"},
      {"stories/dp_grad", "data 8"},
      {"stories/vit_128", "data 8"},
      {"stories/adam_oom", "data 8"},
      {"stories/scan", "FSDP 4 x tensor 2"},
      {"stories/moe", "expert 8"},
      {"stories/giant_fixed", "- 4 x tensor 2"},
      {"stories/giant_bad", "- 4 x FSDP 2"},
      {"stories/giant2", "FSDP 4 x FSDP+tensor 2"},
      {"step/llama3.1-8b.v6e-8", "FSDP 8"},  // weights come to VMEM in pieces of bytes
  };
  for (const auto& row : rows) {
    CAPTURE(row.file);
    const auto module = load_module(shared_path("corpus/") + row.file + ".hlo");
    REQUIRE(module.ok());
    CHECK(roles_of(*module) == row.roles);
  }
}

}  // namespace
}  // namespace hloroof::internal
