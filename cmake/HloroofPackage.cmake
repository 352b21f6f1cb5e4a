# One Debian package of everything that is installed:  cpack --config <build>/CPackConfig.cmake
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hloroof)
set(CPACK_PACKAGE_CONTACT "The hloroof authors <hloroof@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The command needs its shared libraries. Users of the library also need their headers.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libabsl-dev, libre2-dev, zlib1g-dev")
include(CPack)
