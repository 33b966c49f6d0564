// Compares the layouts and numbers of Sources/System/CCycloneDDS with those of Cyclone's own headers: compiles or not.
//
// Debian: cyclonedds-dev 0.10.2. cc -fsyntax-only -ISources/System/CCycloneDDS tools/peers/dds_layout.c
#include <dds/dds.h>
#include <dds/ddsi/ddsi_keyhash.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/q_radmin.h>
#include <dds/ddsrt/log.h>

#include "CCycloneDDS.h"

#ifndef DDS_HAS_SHM
#error "these headers are of a library without shared memory, whose structures end earlier"
#endif

#define SAME(text, a, b) _Static_assert((long long)(a) == (long long)(b), text)
#define SIZE(mine, theirs) SAME(#mine, sizeof(mine), sizeof(theirs))
#define FIELD(mine, field, theirs, other) \
    SAME(#mine "." #field, offsetof(mine, field), offsetof(theirs, other)); \
    SAME("size of " #mine "." #field, sizeof(((mine *)0)->field), sizeof(((theirs *)0)->other))

typedef struct med_type type_t;
typedef struct ddsi_sertype sertype_t;
SIZE(type_t, sertype_t);
FIELD(type_t, table, sertype_t, ops);
FIELD(type_t, data_table, sertype_t, serdata_ops);
FIELD(type_t, data_hash, sertype_t, serdata_basehash);
SAME("flags", offsetof(type_t, flags), offsetof(sertype_t, serdata_basehash) + 4);
FIELD(type_t, representations, sertype_t, allowed_data_representation);
FIELD(type_t, name, sertype_t, type_name);
FIELD(type_t, domain, sertype_t, gv);
FIELD(type_t, flags_and_references, sertype_t, flags_refc);
FIELD(type_t, base, sertype_t, base_sertype);
FIELD(type_t, wrapped, sertype_t, wrapped_sertopic);
FIELD(type_t, shared_memory_size, sertype_t, iox_size);

typedef struct med_data data_t;
typedef struct ddsi_serdata serdata_t;
SIZE(data_t, serdata_t);
FIELD(data_t, table, serdata_t, ops);
FIELD(data_t, hash, serdata_t, hash);
FIELD(data_t, references, serdata_t, refc);
FIELD(data_t, kind, serdata_t, kind);
FIELD(data_t, type, serdata_t, type);
FIELD(data_t, timestamp, serdata_t, timestamp);
FIELD(data_t, status, serdata_t, statusinfo);
FIELD(data_t, written, serdata_t, twrite);
FIELD(data_t, shared_memory_chunk, serdata_t, iox_chunk);
FIELD(data_t, shared_memory_subscriber, serdata_t, iox_subscriber);

typedef struct med_type_table type_table_t;
typedef struct ddsi_sertype_ops sertype_ops_t;
SIZE(type_table_t, sertype_ops_t);
FIELD(type_table_t, version, sertype_ops_t, version);
FIELD(type_table_t, argument, sertype_ops_t, arg);
FIELD(type_table_t, free, sertype_ops_t, free);
FIELD(type_table_t, zero_samples, sertype_ops_t, zero_samples);
FIELD(type_table_t, realloc_samples, sertype_ops_t, realloc_samples);
FIELD(type_table_t, free_samples, sertype_ops_t, free_samples);
FIELD(type_table_t, equal, sertype_ops_t, equal);
FIELD(type_table_t, hash, sertype_ops_t, hash);
FIELD(type_table_t, type_id, sertype_ops_t, type_id);
FIELD(type_table_t, type_map, sertype_ops_t, type_map);
FIELD(type_table_t, type_information, sertype_ops_t, type_info);
FIELD(type_table_t, derive, sertype_ops_t, derive_sertype);
FIELD(type_table_t, serialized_size, sertype_ops_t, get_serialized_size);
FIELD(type_table_t, serialize, sertype_ops_t, serialize_into);

typedef struct med_data_table data_table_t;
typedef struct ddsi_serdata_ops serdata_ops_t;
SIZE(data_table_t, serdata_ops_t);
FIELD(data_table_t, equal_key, serdata_ops_t, eqkey);
FIELD(data_table_t, size, serdata_ops_t, get_size);
FIELD(data_table_t, from_fragments, serdata_ops_t, from_ser);
FIELD(data_table_t, from_pieces, serdata_ops_t, from_ser_iov);
FIELD(data_table_t, from_key_hash, serdata_ops_t, from_keyhash);
FIELD(data_table_t, from_sample, serdata_ops_t, from_sample);
FIELD(data_table_t, copy, serdata_ops_t, to_ser);
FIELD(data_table_t, lend, serdata_ops_t, to_ser_ref);
FIELD(data_table_t, take_back, serdata_ops_t, to_ser_unref);
FIELD(data_table_t, to_sample, serdata_ops_t, to_sample);
FIELD(data_table_t, to_untyped, serdata_ops_t, to_untyped);
FIELD(data_table_t, untyped_to_sample, serdata_ops_t, untyped_to_sample);
FIELD(data_table_t, free, serdata_ops_t, free);
FIELD(data_table_t, print, serdata_ops_t, print);
FIELD(data_table_t, key_hash, serdata_ops_t, get_keyhash);
FIELD(data_table_t, shared_memory_size, serdata_ops_t, get_sample_size);
FIELD(data_table_t, from_shared_memory, serdata_ops_t, from_iox_buffer);

typedef struct med_packet packet_t;
typedef struct nn_rmsg rmsg_t;
SIZE(packet_t, rmsg_t);
FIELD(packet_t, references, rmsg_t, refcount);
FIELD(packet_t, last_chunk, rmsg_t, lastchunk);
FIELD(packet_t, is_traced, rmsg_t, trace);
FIELD(packet_t, buffer, rmsg_t, chunk.rbuf);
FIELD(packet_t, next_chunk, rmsg_t, chunk.next);
FIELD(packet_t, size, rmsg_t, chunk.u);

typedef struct med_fragment fragment_t;
typedef struct nn_rdata rdata_t;
FIELD(fragment_t, packet, rdata_t, rmsg);
FIELD(fragment_t, next, rdata_t, nextfrag);
FIELD(fragment_t, first, rdata_t, min);
FIELD(fragment_t, end, rdata_t, maxp1);
FIELD(fragment_t, payload_offset, rdata_t, payload_zoff);
FIELD(fragment_t, key_hash_offset, rdata_t, keyhash_zoff);

SIZE(med_guid, dds_guid_t);
SIZE(med_key_hash, struct ddsi_keyhash);
SIZE(med_entity, dds_entity_t);
SIZE(med_result, dds_return_t);
SIZE(med_duration, dds_duration_t);
SIZE(med_handle, dds_instance_handle_t);
SIZE(intptr_t, dds_attach_t);
SIZE(int, dds_history_kind_t);
SIZE(struct iovec, ddsrt_iovec_t);
SIZE(size_t, ddsrt_msg_iovlen_t);

SIZE(med_endpoint, dds_builtintopic_endpoint_t);
FIELD(med_endpoint, participant_key, dds_builtintopic_endpoint_t, participant_key);
FIELD(med_endpoint, participant, dds_builtintopic_endpoint_t, participant_instance_handle);
FIELD(med_endpoint, topic_name, dds_builtintopic_endpoint_t, topic_name);
FIELD(med_endpoint, type_name, dds_builtintopic_endpoint_t, type_name);
FIELD(med_endpoint, qos, dds_builtintopic_endpoint_t, qos);
SIZE(med_participant, dds_builtintopic_participant_t);
FIELD(med_participant, qos, dds_builtintopic_participant_t, qos);

SIZE(med_sample_info, dds_sample_info_t);
FIELD(med_sample_info, instance_state, dds_sample_info_t, instance_state);
FIELD(med_sample_info, has_data, dds_sample_info_t, valid_data);
FIELD(med_sample_info, source_timestamp, dds_sample_info_t, source_timestamp);
FIELD(med_sample_info, publication, dds_sample_info_t, publication_handle);
FIELD(med_sample_info, absolute_generation_rank, dds_sample_info_t, absolute_generation_rank);

SIZE(med_matched_status, dds_publication_matched_status_t);
SIZE(med_matched_status, dds_subscription_matched_status_t);
FIELD(med_matched_status, current_count, dds_publication_matched_status_t, current_count);
FIELD(med_matched_status, last, dds_publication_matched_status_t, last_subscription_handle);
SIZE(med_incompatible_status, dds_offered_incompatible_qos_status_t);
SIZE(med_lost_status, dds_sample_lost_status_t);

SIZE(med_log_line, dds_log_data_t);
FIELD(med_log_line, message, dds_log_data_t, message);
FIELD(med_log_line, header_size, dds_log_data_t, hdrsize);

SAME("errors", med_error, DDS_RETCODE_ERROR);
SAME("errors", med_precondition_not_met, DDS_RETCODE_PRECONDITION_NOT_MET);
SAME("errors", med_out_of_resources, DDS_RETCODE_OUT_OF_RESOURCES);
SAME("errors", med_inconsistent_policy, DDS_RETCODE_INCONSISTENT_POLICY);
SAME("errors", med_timeout, DDS_RETCODE_TIMEOUT);
SAME("errors", med_not_allowed_by_security, DDS_RETCODE_NOT_ALLOWED_BY_SECURITY);
SAME("topics", med_topic_participants, DDS_BUILTIN_TOPIC_DCPSPARTICIPANT);
SAME("topics", med_topic_publications, DDS_BUILTIN_TOPIC_DCPSPUBLICATION);
SAME("topics", med_topic_subscriptions, DDS_BUILTIN_TOPIC_DCPSSUBSCRIPTION);
SAME("states", med_any_state, DDS_ANY_STATE);
SAME("states", med_disposed, DDS_IST_NOT_ALIVE_DISPOSED);
SAME("statuses", med_status_data_available, DDS_DATA_AVAILABLE_STATUS);
SAME("statuses", med_status_publication_matched, DDS_PUBLICATION_MATCHED_STATUS);
SAME("log", med_log_info, DDS_LC_INFO);
SAME("log", med_log_warning, DDS_LC_WARNING);
SAME("log", med_log_discovery, DDS_LC_DISCOVERY);
SAME("policies", med_policy_presentation, DDS_PRESENTATION_QOS_POLICY_ID);
SAME("policies", med_policy_deadline, DDS_DEADLINE_QOS_POLICY_ID);
SAME("policies", med_policy_latency_budget, DDS_LATENCYBUDGET_QOS_POLICY_ID);
SAME("policies", med_policy_ownership, DDS_OWNERSHIP_QOS_POLICY_ID);
SAME("policies", med_policy_liveliness, DDS_LIVELINESS_QOS_POLICY_ID);
SAME("policies", med_policy_partition, DDS_PARTITION_QOS_POLICY_ID);
SAME("policies", med_policy_destination_order, DDS_DESTINATIONORDER_QOS_POLICY_ID);
SAME("policies", med_policy_data_representation, DDS_DATA_REPRESENTATION_QOS_POLICY_ID);
SAME("qos", med_persistent, DDS_DURABILITY_PERSISTENT);
SAME("qos", med_transient_local, DDS_DURABILITY_TRANSIENT_LOCAL);
SAME("qos", med_keep_all, DDS_HISTORY_KEEP_ALL);
SAME("qos", med_reliable, DDS_RELIABILITY_RELIABLE);
SAME("qos", med_liveliness_by_topic, DDS_LIVELINESS_MANUAL_BY_TOPIC);
SAME("qos", med_ignore_process, DDS_IGNORELOCAL_PROCESS);
SAME("qos", med_unlimited, DDS_LENGTH_UNLIMITED);
SAME("qos", med_representation_xcdr2, DDS_DATA_REPRESENTATION_XCDR2);
SAME("kinds", med_kind_key, SDK_KEY);
SAME("kinds", med_kind_data, SDK_DATA);
SAME("flags", med_flag_no_key, DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
SAME("time", INT64_MAX, DDS_INFINITY);
