// The functions of the library that are called, each as F(result, name, arguments, parameters). `med_NAME` calls it.
//
// A writer, a reader or a topic is made in a participant and deleted with it; a domain is deleted with all it has. A
// qos or a listener may be null (defaults) and is copied.

#define MED_FUNCTIONS(F) \
    F(const char *, dds_strretcode, (code), med_result code) \
    /* The configuration: XML, or several texts or files behind one another with commas between them. */ \
    F(med_entity, dds_create_domain, (domain, xml), uint32_t domain, const char *xml) \
    F(med_entity, dds_create_participant, (domain, qos, listener), \
        uint32_t domain, const med_qos *qos, const void *listener) \
    /* Takes the reference to *type, and replaces it by an equal type that is already there. */ \
    F(med_entity, dds_create_topic_sertype, (participant, name, type, qos, listener, list), \
        med_entity participant, const char *name, struct med_type **type, const med_qos *qos, const void *listener, \
        const void *list) \
    F(med_entity, dds_create_writer, (participant, topic, qos, listener), \
        med_entity participant, med_entity topic, const med_qos *qos, const void *listener) \
    F(med_entity, dds_create_reader, (participant, topic, qos, listener), \
        med_entity participant, med_entity topic, const med_qos *qos, const void *listener) \
    F(void *, dds_create_listener, (context), void *context) \
    F(void, dds_delete_listener, (listener), void *listener) \
    /* Is called by threads of the library. */ \
    F(void, dds_lset_publication_matched, (listener, note), void *listener, med_match_note note) \
    F(med_result, dds_delete, (entity), med_entity entity) \
    F(med_result, dds_get_guid, (entity, guid), med_entity entity, med_guid *guid) \
    F(med_result, dds_get_instance_handle, (entity, handle), med_entity entity, med_handle *handle) \
    /* Take one reference to the message; the second keeps its timestamp. */ \
    F(med_result, dds_writecdr, (writer, data), med_entity writer, struct med_data *data) \
    F(med_result, dds_forwardcdr, (writer, data), med_entity writer, struct med_data *data) \
    F(med_result, dds_wait_for_acks, (writer, timeout), med_entity writer, med_duration timeout) \
    /* Gives messages with a reference each. */ \
    F(med_result, dds_takecdr, (reader, data, count, info, mask), \
        med_entity reader, struct med_data **data, uint32_t count, med_sample_info *info, uint32_t mask) \
    /* Lends samples where *samples is null: dds_return_loan takes them back. */ \
    F(med_result, dds_take, (reader, samples, info, size, count), \
        med_entity reader, void **samples, med_sample_info *info, size_t size, uint32_t count) \
    F(med_result, dds_return_loan, (reader, samples, count), med_entity reader, void **samples, int32_t count) \
    /* How many there are, which may be more than the count. */ \
    F(med_result, dds_get_matched_subscriptions, (writer, readers, count), \
        med_entity writer, med_handle *readers, size_t count) \
    F(med_result, dds_get_matched_publications, (reader, writers, count), \
        med_entity reader, med_handle *writers, size_t count) \
    /* Null: gone. Else freed by dds_builtintopic_free_endpoint. */ \
    F(med_endpoint *, dds_get_matched_subscription_data, (writer, reader), med_entity writer, med_handle reader) \
    F(med_endpoint *, dds_get_matched_publication_data, (reader, writer), med_entity reader, med_handle writer) \
    F(void, dds_builtintopic_free_endpoint, (endpoint), med_endpoint *endpoint) \
    F(med_result, dds_get_publication_matched_status, (writer, status), med_entity writer, med_matched_status *status) \
    F(med_result, dds_get_subscription_matched_status, (reader, status), \
        med_entity reader, med_matched_status *status) \
    F(med_result, dds_get_offered_incompatible_qos_status, (writer, status), \
        med_entity writer, med_incompatible_status *status) \
    F(med_result, dds_get_sample_lost_status, (reader, status), med_entity reader, med_lost_status *status) \
    F(med_result, dds_set_status_mask, (entity, mask), med_entity entity, uint32_t mask) \
    F(med_entity, dds_create_readcondition, (reader, mask), med_entity reader, uint32_t mask) \
    F(med_entity, dds_create_waitset, (participant), med_entity participant) \
    F(med_result, dds_waitset_attach, (set, entity, mark), med_entity set, med_entity entity, intptr_t mark) \
    F(med_result, dds_waitset_detach, (set, entity), med_entity set, med_entity entity) \
    F(med_result, dds_waitset_wait, (set, marks, count, timeout), \
        med_entity set, intptr_t *marks, size_t count, med_duration timeout) \
    F(med_result, dds_waitset_set_trigger, (set, is_set), med_entity set, bool is_set) \
    F(void, dds_free, (memory), void *memory) \
    F(void, dds_set_log_sink, (sink, context), med_log_sink sink, void *context) \
    F(void, dds_set_trace_sink, (sink, context), med_log_sink sink, void *context) \
    F(void, dds_set_log_mask, (categories), uint32_t categories) \
    F(med_qos *, dds_create_qos, ()) \
    F(void, dds_delete_qos, (qos), med_qos *qos) \
    F(med_result, dds_get_qos, (entity, qos), med_entity entity, med_qos *qos) \
    F(void, dds_qset_userdata, (qos, bytes, count), med_qos *qos, const void *bytes, size_t count) \
    F(void, dds_qset_durability, (qos, kind), med_qos *qos, int kind) \
    F(void, dds_qset_history, (qos, kind, depth), med_qos *qos, int kind, int32_t depth) \
    F(void, dds_qset_reliability, (qos, kind, blocking), med_qos *qos, int kind, med_duration blocking) \
    F(void, dds_qset_resource_limits, (qos, samples, instances, each), \
        med_qos *qos, int32_t samples, int32_t instances, int32_t each) \
    F(void, dds_qset_durability_service, (qos, cleanup, history, depth, samples, instances, each), \
        med_qos *qos, med_duration cleanup, int history, int32_t depth, int32_t samples, int32_t instances, \
        int32_t each) \
    F(void, dds_qset_writer_data_lifecycle, (qos, disposes), med_qos *qos, bool disposes) \
    F(void, dds_qset_lifespan, (qos, lifespan), med_qos *qos, med_duration lifespan) \
    F(void, dds_qset_deadline, (qos, deadline), med_qos *qos, med_duration deadline) \
    F(void, dds_qset_liveliness, (qos, kind, lease), med_qos *qos, int kind, med_duration lease) \
    F(void, dds_qset_ignorelocal, (qos, kind), med_qos *qos, int kind) \
    F(void, dds_qset_data_representation, (qos, count, values), med_qos *qos, uint32_t count, const int16_t *values) \
    /* False: not set, and nothing is written. Bytes are freed by dds_free. */ \
    F(bool, dds_qget_userdata, (qos, bytes, count), const med_qos *qos, void **bytes, size_t *count) \
    F(bool, dds_qget_prop, (qos, name, value), const med_qos *qos, const char *name, char **value) \
    F(bool, dds_qget_durability, (qos, kind), const med_qos *qos, int *kind) \
    F(bool, dds_qget_history, (qos, kind, depth), const med_qos *qos, int *kind, int32_t *depth) \
    F(bool, dds_qget_reliability, (qos, kind, blocking), const med_qos *qos, int *kind, med_duration *blocking) \
    F(bool, dds_qget_lifespan, (qos, lifespan), const med_qos *qos, med_duration *lifespan) \
    F(bool, dds_qget_deadline, (qos, deadline), const med_qos *qos, med_duration *deadline) \
    F(bool, dds_qget_liveliness, (qos, kind, lease), const med_qos *qos, int *kind, med_duration *lease) \
    F(bool, dds_qget_data_representation, (qos, count, values), const med_qos *qos, uint32_t *count, int16_t **values) \
    F(void, ddsi_sertype_init_flags, (type, name, table, data_table, flags), \
        struct med_type *type, const char *name, const struct med_type_table *table, \
        const struct med_data_table *data_table, uint32_t flags) \
    F(void, ddsi_sertype_fini, (type), struct med_type *type) \
    F(void, ddsi_sertype_unref, (type), struct med_type *type) \
    F(void, ddsi_serdata_init, (data, type, kind), struct med_data *data, const struct med_type *type, int kind)

enum { med_log_room = 4000 };

/// What the library says of its errors, a line each, until it is read.
struct med_log {
    bool is_held;
    size_t size;
    char text[med_log_room];
};

/// The functions, the tables of the type of all topics here, and the log.
typedef struct med_library {
#define MED_MEMBER(result, name, arguments, ...) result (*name)(__VA_ARGS__);
    MED_FUNCTIONS(MED_MEMBER)
#undef MED_MEMBER
    struct med_type_table type_table;
    struct med_data_table data_table;
    struct med_log *log;
} med_library;

/// A loaded library; any thread may call its functions.
typedef struct MED_SENDABLE MedDDS {
    const med_library *library;
} MedDDS;

#define MED_CALL(result, name, arguments, ...) \
    static inline result med_##name(MedDDS dds, ##__VA_ARGS__) { return dds.library->name arguments; }
MED_FUNCTIONS(MED_CALL)
#undef MED_CALL
