// Declares what abseil's time_zone_lookup.cc calls of CoreFoundation, for cmake/wheels.sh: the compiler of zig has the
// C library of macOS and no frameworks. As Apple documents these functions; a build on macOS has the headers of Xcode
// instead.
#pragma once

#include <cstdint>

extern "C" {
using Boolean = unsigned char;
using CFIndex = long;
using CFStringEncoding = std::uint32_t;
using CFTypeRef = const void*;
using CFStringRef = const struct __CFString*;
using CFTimeZoneRef = const struct __CFTimeZone*;

constexpr CFStringEncoding kCFStringEncodingUTF8 = 0x08000100;

void CFRelease(CFTypeRef object);
Boolean CFStringGetCString(CFStringRef string, char* buffer, CFIndex size, CFStringEncoding encoding);
CFIndex CFStringGetLength(CFStringRef string);
CFIndex CFStringGetMaximumSizeForEncoding(CFIndex length, CFStringEncoding encoding);
CFTimeZoneRef CFTimeZoneCopyDefault();
CFStringRef CFTimeZoneGetName(CFTimeZoneRef zone);
}
