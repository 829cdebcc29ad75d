// The numbers of one AdamW update.
#pragma once

namespace hyseq::kernels::dense {

struct Update {
  double factor = 1;  // of the gradient: clipping
  double rate = 0;
  double decay = 0;  // 0 where the parameter's policy spares it
  double beta1 = 0;
  double beta2 = 0;
  double epsilon = 0;
  double correction1 = 1;  // 1 - beta1^t
  double correction2 = 1;
};

}  // namespace hyseq::kernels::dense
