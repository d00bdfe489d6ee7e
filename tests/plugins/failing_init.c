// A plugin that cannot work, and says why by an exception.
#include "minivm_plugin.h"

static bool init(const PluginApi *api)
{
    api->raise("there is nothing to evaluate");
    return false;
}

MINIVM_PLUGIN(init, NULL);
