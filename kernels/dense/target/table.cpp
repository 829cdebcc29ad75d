// The one symbol that leaves the object of an instruction set. HYSEQ_DENSE_TABLE and HYSEQ_DENSE_NAME come from the
// build.
#include "kernels/adamw/dense.hpp"
#include "kernels/dense/instruction_set.hpp"
#include "kernels/dense/product.hpp"
#include "kernels/dense/target/bodies.hpp"
#include "kernels/softmax_cross_entropy/dense.hpp"

extern "C" {

extern const hyseq::kernels::dense::InstructionSet HYSEQ_DENSE_TABLE;

using namespace hyseq::kernels::dense;

constexpr InstructionSet HYSEQ_DENSE_TABLE = {
    HYSEQ_DENSE_NAME,
    fix_blocking,
    {run_forward<float>, run_backward<float>, cross_entropy<float>, sum_of_squares<float>, adamw<float>},
    {run_forward<double>, run_backward<double>, cross_entropy<double>, sum_of_squares<double>, adamw<double>},
};
}
