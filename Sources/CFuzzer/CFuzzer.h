/* libFuzzer without its main function. Source: https://llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library". */
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*body)(const uint8_t *bytes, size_t size));
