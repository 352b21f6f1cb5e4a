"""Conan 2 recipe for the checkout it lies in:  conan create cmake/packaging/conan --build=missing"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Hloroof(ConanFile):
    name = "hloroof"
    description = "Predicts the step time of an HLO program on a named device from its text"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False], "command": [True, False]}
    default_options = {"shared": False, "fPIC": True, "command": True}

    def set_version(self):
        sources = os.path.join(self.recipe_folder, "..", "..", "..", "CMakeLists.txt")
        self.version = re.search(r"^  VERSION ([0-9.]+)$", load(self, sources), re.MULTILINE).group(1)

    def export_sources(self):
        top = os.path.join(self.recipe_folder, "..", "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "lib/*", "data/hardware/*"):
            copy(self, pattern, top, self.export_sources_folder)

    def requirements(self):
        self.requires("abseil/[>=20240116]", transitive_headers=True)
        self.requires("re2/[>=20230301]")
        self.requires("eigen/[>=3.4]")
        self.requires("nlohmann_json/[>=3.10]")
        self.requires("zlib/[>=1.2.11]")
        if self.options.command:
            self.requires("cli11/[>=2.3]")

    def validate(self):
        check_min_cppstd(self, 17)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.variables["HLOROOF_BUILD_CLI"] = bool(self.options.command)
        toolchain.variables["HLOROOF_BUILD_C"] = False
        toolchain.variables["HLOROOF_BUILD_TESTS"] = False
        toolchain.variables["HLOROOF_BUILD_EXAMPLES"] = False
        toolchain.variables["HLOROOF_INSTALL"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["hloroof"]
        self.cpp_info.requires = ["abseil::absl_status", "abseil::absl_statusor", "abseil::abseil", "re2::re2", "zlib::zlib"]
        self.cpp_info.set_property("cmake_file_name", "hloroof")
        self.cpp_info.set_property("cmake_target_name", "hloroof::hloroof")
