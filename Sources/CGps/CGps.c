#include "CGps.h"
