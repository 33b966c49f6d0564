// Reads topics of a DDS domain as raw CDR, as dds_read.c does, but by Fast DDS.
//
// Debian: libfastrtps-dev 2.9.1. c++ -O2 -o dds_read_fast tools/peers/dds_read_fast.cpp -lfastrtps -lfastcdr
//
// usage: dds_read_fast --domain N --topics /a=pkg/msg/T[:transient],... [--seconds S] [--expect N] [--quiet S]
//                      [--depth keep_all|N] [--receive-buffer BYTES] [--dump FILE]
//
// Options, output and status are those of dds_read.c.
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "dds_digest.h"

using namespace eprosima::fastdds::dds;
using namespace eprosima::fastdds::rtps;
using Bytes = std::vector<uint8_t>;
using Payload = eprosima::fastrtps::rtps::SerializedPayload_t;

class Raw : public TopicDataType {
public:
    explicit Raw(const std::string &name) {
        setName(name.c_str());
        m_typeSize = 1024;
        m_isGetKeyDefined = false;
    }
    bool serialize(void *, Payload *) override { return false; }
    bool deserialize(Payload *payload, void *data) override {
        static_cast<Bytes *>(data)->assign(payload->data, payload->data + payload->length);
        return true;
    }
    std::function<uint32_t()> getSerializedSizeProvider(void *) override { return [] { return 0u; }; }
    void *createData() override { return new Bytes; }
    void deleteData(void *data) override { delete static_cast<Bytes *>(data); }
    bool getKey(void *, eprosima::fastrtps::rtps::InstanceHandle_t *, bool) override { return false; }
};

struct Subscribed {
    std::string name, type;
    bool isTransient;
    DataReader *reader;
    uint64_t count = 0, bytes = 0;
    double first = 0, last = 0;
    sha digest;
};

template <class Clock> double seconds() {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

int main(int count, char **arguments) {
    std::map<std::string, std::string> options = {{"--seconds", "60"}, {"--depth", "keep_all"}};
    for (int i = 1; i + 1 < count; i += 2) options[arguments[i]] = arguments[i + 1];
    const int depth = std::atoi(options["--depth"].c_str());
    const long expected = options.count("--expect") ? std::atol(options["--expect"].c_str()) : -1;
    const double quiet = std::atof(options["--quiet"].c_str());

    DomainParticipantQos participantQos;
    auto transport = std::make_shared<UDPv4TransportDescriptor>();
    transport->interfaceWhiteList.push_back("127.0.0.1");
    transport->receiveBufferSize = static_cast<uint32_t>(std::atol(options["--receive-buffer"].c_str()));
    participantQos.transport().use_builtin_transports = false;
    participantQos.transport().user_transports.push_back(transport);
    eprosima::fastrtps::rtps::Locator_t peer;
    eprosima::fastrtps::rtps::IPLocator::setIPv4(peer, 127, 0, 0, 1);
    participantQos.wire_protocol().builtin.initialPeersList.push_back(peer);
    auto *participant = DomainParticipantFactory::get_instance()->create_participant(
        static_cast<uint32_t>(std::atoi(options["--domain"].c_str())), participantQos);
    if (!participant) return 2;
    auto *subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT);

    std::vector<Subscribed> topics;
    std::stringstream list(options["--topics"]);
    for (std::string item; std::getline(list, item, ',');) {
        const std::string option = ":transient";
        const bool isTransient = item.size() > option.size() && item.substr(item.size() - option.size()) == option;
        if (isTransient) item.resize(item.size() - option.size());
        Subscribed topic{item.substr(0, item.find('=')), item.substr(item.find('=') + 1), isTransient, nullptr};
        std::string type = topic.type;
        if (const auto at = type.find("/msg/"); at != std::string::npos) {
            type = type.substr(0, at) + "::msg::dds_::" + type.substr(at + 5) + "_";
        }
        TypeSupport(new Raw(type)).register_type(participant);
        DataReaderQos qos;
        qos.reliability().kind = RELIABLE_RELIABILITY_QOS;
        qos.durability().kind = isTransient ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
        qos.history().kind = depth ? KEEP_LAST_HISTORY_QOS : KEEP_ALL_HISTORY_QOS;
        if (depth) qos.history().depth = depth;
        qos.resource_limits().max_samples = 0;  // no limit
        qos.resource_limits().max_instances = 0;
        qos.resource_limits().max_samples_per_instance = 0;
        qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
        const std::string name = (topic.name[0] == '/' ? "rt" : "") + topic.name;
        topic.reader = subscriber->create_datareader(participant->create_topic(name, type, TOPIC_QOS_DEFAULT), qos);
        if (!topic.reader) return 2;
        sha_start(&topic.digest);
        topics.push_back(topic);
    }
    std::fprintf(stderr, "ready\n");

    std::vector<std::pair<uint32_t, Bytes>> kept;
    double end = seconds<std::chrono::steady_clock>() + std::atof(options["--seconds"].c_str()), last = 0;
    bool isComplete = false;
    for (;;) {
        const double now = seconds<std::chrono::steady_clock>();
        if (now >= end || (quiet > 0 && last > 0 && now - last > quiet)) break;
        if (!isComplete && expected >= 0 && kept.size() >= static_cast<size_t>(expected)) {
            isComplete = true;
            end = now + 0.5;
        }
        bool isIdle = true;
        for (uint32_t index = 0; index < topics.size(); index++) {
            auto &topic = topics[index];
            Bytes bytes;
            for (SampleInfo info; topic.reader->take_next_sample(&bytes, &info) == ReturnCode_t::RETCODE_OK;) {
                if (!info.valid_data) continue;
                bytes.resize((bytes.size() + 3) & ~size_t(3));
                topic.last = seconds<std::chrono::system_clock>();
                if (!topic.count++) topic.first = topic.last;
                topic.bytes += bytes.size();
                kept.emplace_back(index, std::move(bytes));
                bytes = Bytes();
                last = seconds<std::chrono::steady_clock>();
                isIdle = false;
            }
        }
        if (isIdle) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    FILE *dump = options.count("--dump") ? std::fopen(options["--dump"].c_str(), "wb") : nullptr;
    if (options.count("--dump") && !dump) return 2;
    for (const auto &[index, bytes] : kept) {
        digest(&topics[index].digest, dump, index, bytes.data(), static_cast<uint32_t>(bytes.size()));
    }
    if (dump && std::fclose(dump)) return 2;
    for (auto &topic : topics) {
        SampleLostStatus lost;
        topic.reader->get_sample_lost_status(lost);
        char hex[65];
        sha_end(&topic.digest, hex);
        std::printf("{\"topic\": \"%s\", \"type\": \"%s\", \"count\": %lu, \"bytes\": %lu, \"lost\": %d, "
                    "\"first\": %.6f, \"last\": %.6f, \"sha256\": \"%s\"}\n",
                    topic.name.c_str(), topic.type.c_str(), topic.count, topic.bytes, lost.total_count, topic.first,
                    topic.last, hex);
    }
    participant->delete_contained_entities();
    DomainParticipantFactory::get_instance()->delete_participant(participant);
    return expected >= 0 && kept.size() != static_cast<size_t>(expected);
}
