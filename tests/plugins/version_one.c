// A plugin that was compiled for version 1: it has a table that ends before run_frame().
#include "minivm_plugin.h"

#include <stdio.h>

static bool init(const PluginApi *api)
{
    printf("a plugin of version 1 finds version %u\n", api->version);
    return api->eval_frame_get() != NULL;
}

const Plugin minivm_plugin = {1, offsetof(PluginApi, run_frame), init, NULL};
