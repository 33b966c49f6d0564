// Reads a .bt file by OctoMap's own library, and prints what it holds; writes it again beside itself, as FILE.again.
#include <octomap/octomap.h>

#include <cstdio>
#include <string>

int main(int count, char **arguments) {
    if (count != 2) return 2;
    std::string path = arguments[1];
    octomap::OcTree tree(1);
    if (!tree.readBinary(path)) return 1;
    size_t size = tree.size();
    tree.prune();
    size_t pruned = tree.size();
    if (!tree.writeBinary(path + ".again")) return 1;
    tree.expand();
    size_t occupied = 0, free = 0;
    for (auto leaf = tree.begin_leafs(); leaf != tree.end_leafs(); ++leaf) ++(tree.isNodeOccupied(*leaf) ? occupied : free);
    std::printf(
        "{\"resolution\":%g,\"size\":%zu,\"pruned\":%zu,\"occupied\":%zu,\"free\":%zu}\n", tree.getResolution(), size,
        pruned, occupied, free);
}
