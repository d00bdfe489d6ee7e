// What the module pyexpat (mod_pyexpat.c) and its type xmlparser (xmlparser.c) share.
#pragma once

#include "vm/modules/xml/xml_parser.h"

// ParserCreate(): arguments that are checked; 0 or None = not given.
Value xmlparser_create(ValueRef encoding, ValueRef separator, ValueRef intern);
// Raises ExpatError.
void pyexpat_raise(XmlError code, int64_t line, int64_t column);
