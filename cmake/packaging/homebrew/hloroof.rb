# A formula for a tap. Nothing is published yet: OWNER and sha256 are those of the release with the archive of the sources.
class Hloroof < Formula
  desc "Predicts the step time of an HLO program on a named device from its text"
  homepage "https://github.com/OWNER/hloroof"
  url "https://github.com/OWNER/hloroof/releases/download/v0.1.0/hloroof-0.1.0-source.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "eigen" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "abseil"
  depends_on "re2"

  uses_from_macos "zlib"

  def install
    system "cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DHLOROOF_UNITY=ON", "-DBUILD_SHARED_LIBS=ON",
           "-DHLOROOF_BUILD_TESTS=OFF", "-DHLOROOF_BUILD_EXAMPLES=OFF", "-DHLOROOF_INSTALL=ON", *std_cmake_args
    system "cmake", "--build", "build", "--target", "hloroof_installed"
    system "cmake", "--install", "build"
  end

  test do
    assert_match "hloroof #{version}", shell_output("#{bin}/hloroof --version")
    (testpath/"add.hlo").write "ENTRY e { x = f32[8]{0} parameter(0) ROOT y = f32[8]{0} add(x, x) }"
    assert_match "step time", shell_output("#{bin}/hloroof predict add.hlo --device tpu_v5e")
  end
end
