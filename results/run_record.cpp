#include "results/run_record.hpp"

#include "results/certificate.hpp"

namespace hyseq::results {
namespace {

Json counts_json(const Counts& counts) { return {{"valid", counts.valid}, {"correct", counts.correct}}; }

}  // namespace

Json to_json(const Evaluation& evaluation) {
  Json json{{"name", evaluation.name},
            {"step", evaluation.step},
            {"length", evaluation.length},
            {"rows", evaluation.rows},
            {"loss", evaluation.loss},
            {"positions", counts_json(evaluation.positions)},
            {"sequences", counts_json(evaluation.sequences)},
            {"slices", Json::array()}};
  for (const Slice& slice : evaluation.slices)
    json["slices"].push_back(
        {{"by", slice.by}, {"value", slice.value}, {"valid", slice.counts.valid}, {"correct", slice.counts.correct}});
  return strict(json);
}

const Evaluation* find_evaluation(const RunRecord& record, const std::string& name) {
  for (const Evaluation& evaluation : record.evaluations)
    if (evaluation.name == name) return &evaluation;
  return nullptr;
}

Json outcome_json(const RunRecord& record) {
  Json json{{"id", record.id},
            {"configuration", record.configuration},
            {"seed", record.seed},
            {"parameters", record.parameters},
            {"steps", record.steps},
            {"diverged_at", record.diverged_at},
            {"empty_batches", record.empty_batches},
            {"curve", Json::array()},
            {"evaluations", Json::array()}};
  for (const CurvePoint& point : record.curve)
    json["curve"].push_back({{"step", point.step},
                             {"learning_rate", point.learning_rate},
                             {"loss", point.loss},
                             {"gradient_norm", point.gradient_norm},
                             {"positions", counts_json(point.positions)}});
  for (const Evaluation& evaluation : record.evaluations) json["evaluations"].push_back(to_json(evaluation));
  return strict(json);
}

Json to_json(const RunRecord& record) {
  Json json = outcome_json(record);
  json["version"] = record.version;
  json["instructions"] = record.instructions;
  json["machine"] = record.machine;
  json["seconds"] = record.seconds;
  return strict(json);
}

}  // namespace hyseq::results
