#include "CAllocations.h"
