// Reads topics of a DDS domain as raw CDR, by Cyclone DDS and its own headers; prints a line of JSON for each topic.
//
// Debian: cyclonedds-dev 0.10.2. cc -O2 -o dds_read tools/peers/dds_read.c -lddsc
//
// usage: dds_read --domain N --topics /a=pkg/msg/T[:transient],... [--seconds S] [--expect N] [--quiet S]
//                 [--depth keep_all|N] [--best-effort] [--receive-buffer BYTES] [--slow MS] [--dump FILE] [--progress]
//
// Only the loopback is used. Readers are reliable and volatile, `:transient` makes one transient_local. A topic without
// a slash is taken as it is, else it is rt/a; a type without `/msg/` is taken as it is, else it is pkg::msg::dds_::T_.
// It writes "ready" to stderr when its readers are there, and ends after S seconds (60), after N messages in all and
// half a second for more of them, or, with --quiet, so long after the last one. All are kept in memory until then.
// --slow works so long for each message. --progress writes `NAME COUNT` to stderr whenever messages were taken, so that
// one that is killed has said what it had.
//
// A payload is what DDS hands up: 4 bytes of encapsulation and the body, whose length DDS pads with zeros to a multiple
// of 4 where the writer has not. One that is no multiple of 4 is padded here. `sha256` is over the messages of a topic
// in the order in which they came, each as its length (32 bits, little endian) and its payload; a caller pads its own.
// --dump writes all messages in the order in which they were taken as index of the topic, length (32 bits, little
// endian) and payload. Times are seconds since 1970. Status 1 is another number of messages than expected.
#include <dds/dds.h>
#include <dds/ddsi/ddsi_keyhash.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/q_radmin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dds_digest.h"

// Messages as they are.

struct message {
    struct ddsi_serdata base;
    uint32_t size, padded;
    unsigned char bytes[];
};

static struct message *made(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, size_t size) {
    struct message *message = calloc(1, sizeof(*message) + size + 4);
    ddsi_serdata_init(&message->base, type, kind);
    message->size = (uint32_t)size;
    message->padded = (uint32_t)(size + 3) & ~3u;
    return message;
}

static struct ddsi_serdata *from_ser(
    const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, const struct nn_rdata *part, size_t size
) {
    struct message *message = made(type, kind, size);
    uint32_t done = 0;
    for (; part; part = part->nextfrag) {
        if (part->maxp1 <= done) continue;
        memcpy(message->bytes + done, NN_RMSG_PAYLOADOFF(part->rmsg, NN_RDATA_PAYLOAD_OFF(part)) + done - part->min,
               part->maxp1 - done);
        done = part->maxp1;
    }
    if (done != size) abort();
    return &message->base;
}

static struct ddsi_serdata *from_ser_iov(
    const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, ddsrt_msg_iovlen_t count, const ddsrt_iovec_t *parts,
    size_t size
) {
    struct message *message = made(type, kind, size);
    size_t done = 0;
    for (size_t i = 0; i < count; done += parts[i++].iov_len) {
        memcpy(message->bytes + done, parts[i].iov_base, parts[i].iov_len);
    }
    return &message->base;
}

static struct ddsi_serdata *from_keyhash(const struct ddsi_sertype *type, const struct ddsi_keyhash *hash) {
    (void)hash;
    return &made(type, SDK_KEY, 0)->base;
}

static struct ddsi_serdata *to_untyped(const struct ddsi_serdata *data) { return &made(data->type, SDK_KEY, 0)->base; }
static bool eqkey(const struct ddsi_serdata *a, const struct ddsi_serdata *b) { return (void)a, (void)b, true; }
static uint32_t get_size(const struct ddsi_serdata *data) { return ((const struct message *)data)->size; }
static void free_data(struct ddsi_serdata *data) { free(data); }

static size_t print(const struct ddsi_sertype *type, const struct ddsi_serdata *data, char *text, size_t size) {
    return (void)type, (void)data, (void)size, text[0] = 0, 0;
}

static void get_keyhash(const struct ddsi_serdata *data, struct ddsi_keyhash *hash, bool is_md5) {
    (void)data, (void)is_md5;
    memset(hash, 0, sizeof(*hash));
}

// What is missing is only called for writers and samples.
static const struct ddsi_serdata_ops message_functions = {
    .eqkey = eqkey, .get_size = get_size, .from_ser = from_ser, .from_ser_iov = from_ser_iov,
    .from_keyhash = from_keyhash, .to_untyped = to_untyped, .free = free_data, .print = print,
    .get_keyhash = get_keyhash,
};

static void free_type(struct ddsi_sertype *type) {
    ddsi_sertype_fini(type);
    free(type);
}
static bool equal_types(const struct ddsi_sertype *a, const struct ddsi_sertype *b) { return (void)a, (void)b, true; }
static uint32_t hash_type(const struct ddsi_sertype *type) { return (void)type, 0; }

static const struct ddsi_sertype_ops type_functions = {
    .version = ddsi_sertype_v0, .free = free_type, .equal = equal_types, .hash = hash_type,
};

// The command.

struct topic {
    char *name, *type;
    bool is_transient;
    dds_entity_t reader;
    uint64_t count, bytes;
    double first, last;
    struct sha sha;
};

struct kept {
    int topic;
    struct message *message;
};

static struct topic topics[256];
static int topic_count;

static void fail(const char *what, int result) {
    fprintf(stderr, "%s: %s\n", what, dds_strretcode(result));
    exit(2);
}

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void parse_topics(char *text) {
    for (char *item; (item = strsep(&text, ",")) && topic_count < 256;) {
        char *type = strchr(item, '='), *option = type ? strrchr(type, ':') : NULL;
        if (!type) exit(64);
        *type++ = 0;
        struct topic *topic = &topics[topic_count++];
        if (option && !strcmp(option, ":transient")) *option = 0, topic->is_transient = true;
        topic->name = item, topic->type = type;
    }
}

static void create_reader(dds_entity_t participant, struct topic *topic, int depth, bool is_best_effort) {
    char name[512], type[512];
    snprintf(name, sizeof(name), "%s%s", *topic->name == '/' ? "rt" : "", topic->name);
    const char *middle = strstr(topic->type, "/msg/");
    if (middle) {
        snprintf(type, sizeof(type), "%.*s::msg::dds_::%s_", (int)(middle - topic->type), topic->type, middle + 5);
    } else {
        snprintf(type, sizeof(type), "%s", topic->type);
    }
    struct ddsi_sertype *sertype = calloc(1, sizeof(*sertype));
    ddsi_sertype_init_flags(sertype, type, &type_functions, &message_functions, DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
    sertype->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
    const dds_entity_t entity = dds_create_topic_sertype(participant, name, &sertype, NULL, NULL, NULL);
    if (entity < 0) fail(name, entity);
    dds_qos_t *qos = dds_create_qos();
    dds_qset_reliability(qos, is_best_effort ? DDS_RELIABILITY_BEST_EFFORT : DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
    dds_qset_history(qos, depth ? DDS_HISTORY_KEEP_LAST : DDS_HISTORY_KEEP_ALL, depth);
    dds_qset_durability(qos, topic->is_transient ? DDS_DURABILITY_TRANSIENT_LOCAL : DDS_DURABILITY_VOLATILE);
    topic->reader = dds_create_reader(participant, entity, qos, NULL);
    if (topic->reader < 0) fail(name, topic->reader);
    dds_delete_qos(qos);
}

int main(int count, char **arguments) {
    int domain = 0, depth = 0;
    long expected = -1, buffer = 0;
    double limit = 60, quiet = 0, slow = 0;
    bool is_best_effort = false, is_told = false;
    const char *dump = NULL;
    for (int i = 1; i < count; i++) {
        const char *key = arguments[i];
        if (!strcmp(key, "--best-effort")) {
            is_best_effort = true;
            continue;
        }
        if (!strcmp(key, "--progress")) {
            is_told = true;
            continue;
        }
        if (++i == count) return 64;
        char *value = arguments[i];
        if (!strcmp(key, "--domain")) domain = atoi(value);
        else if (!strcmp(key, "--topics")) parse_topics(value);
        else if (!strcmp(key, "--seconds")) limit = atof(value);
        else if (!strcmp(key, "--expect")) expected = atol(value);
        else if (!strcmp(key, "--quiet")) quiet = atof(value);
        else if (!strcmp(key, "--slow")) slow = atof(value);
        else if (!strcmp(key, "--depth")) depth = atoi(value);  // 0 for keep_all
        else if (!strcmp(key, "--receive-buffer")) buffer = atol(value);
        else if (!strcmp(key, "--dump")) dump = value;
        else return 64;
    }
    if (!topic_count) return 64;

    char small[200] = "", configuration[1200];
    if (buffer) {
        const char *limits = "<Internal><SocketReceiveBufferSize min=\"default\" max=\"%ldB\"/></Internal>";
        snprintf(small, sizeof(small), limits, buffer);
    }
    snprintf(configuration, sizeof(configuration),
             "<CycloneDDS><Domain id=\"any\"><General><Interfaces><NetworkInterface name=\"lo\"/></Interfaces>"
             "<AllowMulticast>false</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex>"
             "<MaxAutoParticipantIndex>32</MaxAutoParticipantIndex><Peers><Peer Address=\"127.0.0.1\"/></Peers>"
             "</Discovery>%s</Domain></CycloneDDS>", small);
    const dds_entity_t made_domain = dds_create_domain((dds_domainid_t)domain, configuration);
    if (made_domain < 0) fail("domain", made_domain);
    const dds_entity_t participant = dds_create_participant((dds_domainid_t)domain, NULL, NULL);
    if (participant < 0) fail("participant", participant);
    const dds_entity_t set = dds_create_waitset(participant);
    for (int i = 0; i < topic_count; i++) {
        create_reader(participant, &topics[i], depth, is_best_effort);
        dds_set_status_mask(topics[i].reader, DDS_DATA_AVAILABLE_STATUS);
        dds_waitset_attach(set, topics[i].reader, i);
    }
    fprintf(stderr, "ready\n");

    struct kept *kept = NULL;
    size_t total = 0, room = 0;
    double end = seconds(CLOCK_MONOTONIC) + limit, last = 0;
    bool is_complete = false;
    for (double now; (now = seconds(CLOCK_MONOTONIC)) < end && !(quiet > 0 && total && now - last > quiet);) {
        if (!is_complete && expected >= 0 && total >= (size_t)expected) {
            is_complete = true;
            end = now + 0.5;
        }
        dds_waitset_wait(set, NULL, 0, DDS_MSECS(50));
        for (int i = 0; i < topic_count; i++) {
            struct ddsi_serdata *data[64];
            dds_sample_info_t info[64];
            for (int taken; (taken = dds_takecdr(topics[i].reader, data, 64, info, DDS_ANY_STATE)) != 0;) {
                if (taken < 0) fail(topics[i].name, taken);
                const double time = seconds(CLOCK_REALTIME);
                for (int j = 0; j < taken; j++) {
                    if (!info[j].valid_data) {  // the last writer has gone
                        ddsi_serdata_unref(data[j]);
                        continue;
                    }
                    if (total == room) kept = realloc(kept, (room = 2 * room + 1024) * sizeof(*kept));
                    kept[total++] = (struct kept){i, (struct message *)data[j]};
                    if (!topics[i].count++) topics[i].first = time;
                    topics[i].last = time;
                    topics[i].bytes += ((struct message *)data[j])->padded;
                    if (slow > 0) usleep((useconds_t)(slow * 1000));
                }
                last = seconds(CLOCK_MONOTONIC);
                if (is_told) fprintf(stderr, "%s %lu\n", topics[i].name, topics[i].count);
            }
        }
    }

    FILE *file = dump ? fopen(dump, "wb") : NULL;
    if (dump && !file) return perror(dump), 2;
    for (int i = 0; i < topic_count; i++) sha_start(&topics[i].sha);
    for (size_t i = 0; i < total; i++) {
        const struct message *message = kept[i].message;
        digest(&topics[kept[i].topic].sha, file, (uint32_t)kept[i].topic, message->bytes, message->padded);
    }
    if (file && fclose(file)) return perror(dump), 2;
    for (int i = 0; i < topic_count; i++) {
        struct topic *topic = &topics[i];
        dds_sample_lost_status_t lost = {0};
        dds_get_sample_lost_status(topic->reader, &lost);
        char hex[65];
        sha_end(&topic->sha, hex);
        printf("{\"topic\": \"%s\", \"type\": \"%s\", \"count\": %lu, \"bytes\": %lu, \"lost\": %u, "
               "\"first\": %.6f, \"last\": %.6f, \"sha256\": \"%s\"}\n",
               topic->name, topic->type, topic->count, topic->bytes, lost.total_count, topic->first, topic->last, hex);
    }
    for (size_t i = 0; i < total; i++) ddsi_serdata_unref(&kept[i].message->base);
    dds_delete(made_domain);
    return expected >= 0 && total != (size_t)expected;
}
