/// The files of a job that are the same in each: a script for PEFT and TRL, and how it is started.
enum TorchrunScript {
  /// What Python needs, in versions that it was run with.
  static let requirements = """
    accelerate==1.15.0
    datasets==5.2.0
    peft==0.21.2
    torch==2.13.0
    transformers==5.23.0
    trl==1.16.0

    """

  /// What the script imports.
  static let modules = "torch, accelerate, datasets, peft, transformers, trl"

  static let start = """
    #!/bin/sh
    # Starts the training on this machine, which is one of NNODES; each of them needs a copy of this folder.
    #
    #   sh run.sh                                              alone, with NPROC processes
    #   NNODES=4 NODE_RANK=0 MASTER_ADDR=host0 sh run.sh       the first of four machines; the others have ranks 1 to 3
    #   srun sh -c 'NODE_RANK=$SLURM_NODEID sh run.sh'         under Slurm, with NNODES and MASTER_ADDR set
    set -eu
    cd "$(dirname "$0")"
    python=${PYTHON:-python3}
    nnodes=${NNODES:-NODES_OF_JOB} nproc=${NPROC:-PROCESSES_OF_JOB}
    if [ "$nnodes" = 1 ]; then
      exec "$python" -m torch.distributed.run --standalone --nproc-per-node "$nproc" train.py
    fi
    exec "$python" -m torch.distributed.run --nnodes "$nnodes" --nproc-per-node "$nproc" --node-rank "${NODE_RANK:?}" \\
      --master-addr "${MASTER_ADDR:?}" --master-port "${MASTER_PORT:-29500}" train.py

    """

  /// The training; all that it is to do is in `job.json`.
  static let program = #"""
    """Trains the adapter of this folder with PEFT and TRL, as job.json says; run.sh starts it in every process.

    train.jsonl and valid.jsonl have tokens and labels: they are as fmadapter trains and measures.
    """
    import json
    import math
    import os
    import pathlib

    import torch
    import torch.distributed as dist
    from datasets import load_dataset
    from peft import LoraConfig
    from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
    from trl import SFTConfig, SFTTrainer

    HERE = pathlib.Path(__file__).resolve().parent
    JOB = json.loads((HERE / "job.json").read_text())
    WORLD, RANK = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))


    class Log(TrainerCallback):
        """Writes what happens as fmadapter does, a line of JSON for each event."""

        def __init__(self):
            self.file = (HERE / "log.jsonl").open("w") if RANK == 0 else None
            self.tokens = 0

        def write(self, **event):
            if self.file:
                self.file.write(json.dumps(event) + "\n")
                self.file.flush()

        def on_log(self, args, state, control, logs=None, **_):
            if "loss" in logs:
                self.write(event="step", step=state.global_step, epoch=int(state.epoch or 0) + 1, loss=logs["loss"],
                           learningRate=logs["learning_rate"], gradientNorm=logs.get("grad_norm", 0.0))


    class Trainer(SFTTrainer):
        """The rate of each step, and the loss of what is held out per token, as fmadapter has them."""

        def create_scheduler(self, num_training_steps, optimizer=None):
            warmup = min(JOB["warmupSteps"], num_training_steps)

            def share(step):
                if step < warmup:
                    return (step + 1) / warmup
                done = (step - warmup) / max(num_training_steps - warmup, 1)
                return {"cosine": (1 + math.cos(math.pi * done)) / 2, "linear": 1 - done, "constant": 1}[JOB["schedule"]]

            self.lr_scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer or self.optimizer, share)
            return self.lr_scheduler

        def evaluate(self, *_, **__):
            rows = self.eval_dataset
            self.model.eval()
            sums = torch.zeros(2, dtype=torch.float64)
            # Every process makes as many passes: with FSDP they wait for each other.
            for first in range(0, len(rows), WORLD):
                row = rows[min(first + RANK, len(rows) - 1)]
                ids = torch.tensor([row["input_ids"]], device=self.args.device)
                with torch.no_grad(), self.compute_loss_context_manager():
                    logits = self.model(input_ids=ids).logits[0, :-1].double()
                labels = torch.tensor(row["labels"][1:], device=logits.device)
                loss = torch.nn.functional.cross_entropy(logits, labels, reduction="sum")
                if first + RANK < len(rows):
                    sums += torch.tensor([loss.item(), (labels != -100).sum().item()], dtype=torch.float64)
            if WORLD > 1:
                sums = sums.to(self.args.device if dist.get_backend() == "nccl" else "cpu")
                dist.all_reduce(sums)
            loss = (sums[0] / sums[1]).item()
            self.model.train()
            self.events.write(event="measure", step=self.state.global_step, loss=loss)
            metrics = {"eval_loss": loss}
            self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, metrics)
            return metrics


    def batches():
        """Examples of a process and how often gradients are summed up, so that a step has the examples of the job."""
        wanted = max(JOB["examplesPerStep"] // WORLD, 1)
        size = next(n for n in range(min(wanted, JOB["examplesAtOnce"]), 0, -1) if wanted % n == 0)
        return size, wanted // size


    def main():
        data = load_dataset("json", data_files={k: str(HERE / f"{k}.jsonl") for k in ("train", "valid")})
        size, sums = batches()
        gpu = torch.cuda.is_available()
        steps = JOB["steps"] or -(-len(data["train"]) // (size * sums * WORLD)) * JOB["epochs"]
        every = max(steps // 12, 1)
        settings = SFTConfig(
            output_dir=str(HERE / "steps"), use_cpu=not gpu, bf16=gpu and torch.cuda.is_bf16_supported(),
            per_device_train_batch_size=size, gradient_accumulation_steps=sums, max_steps=steps,
            learning_rate=JOB["learningRate"], adam_beta1=JOB["betas"][0], adam_beta2=JOB["betas"][1],
            adam_epsilon=JOB["epsilon"], weight_decay=JOB["weightDecay"], max_grad_norm=JOB["maximumGradientNorm"],
            seed=JOB["seed"], data_seed=JOB["seed"],
            max_length=JOB["contextLength"], packing=False,
            dataset_kwargs={"skip_prepare_dataset": True}, remove_unused_columns=False,
            eval_strategy="steps", eval_steps=every, eval_on_start=True, save_strategy="steps", save_steps=every,
            save_total_limit=2, load_best_model_at_end=True, metric_for_best_model="eval_loss", greater_is_better=False,
            logging_steps=1, report_to=[], gradient_checkpointing=False, ddp_find_unused_parameters=False,
            **({"fsdp": "full_shard auto_wrap"} if os.environ.get("FSDP") else {}))
        model = AutoModelForCausalLM.from_pretrained(JOB["baseModel"], dtype=torch.bfloat16 if settings.bf16 else torch.float32)
        lora = LoraConfig(
            r=JOB["rank"], lora_alpha=JOB["alpha"], target_modules=JOB["targetModules"], lora_dropout=JOB["dropout"],
            bias="none", task_type="CAUSAL_LM")
        log = Log()
        trainer = Trainer(
            model=model, args=settings, train_dataset=data["train"], eval_dataset=data["valid"], peft_config=lora,
            processing_class=AutoTokenizer.from_pretrained(JOB["baseModel"]), callbacks=[log])
        trainer.events = log
        # As large as fmadapter's, and the same in all processes.
        random = torch.Generator().manual_seed(JOB["seed"])
        for name, values in trainer.model.named_parameters():
            if "lora_A" in name:
                first = torch.randn(values.shape, generator=random) / math.sqrt(values.shape[1])
                values.data.copy_(first.to(values.dtype))
        log.write(event="start", steps=steps, processes=WORLD, examplesAtOnce=size, accumulation=sums)
        trainer.train()
        trainer.save_model(str(HERE / "adapter"))
        log.write(event="end", steps=trainer.state.global_step, keptStep=trainer.state.best_global_step)


    if __name__ == "__main__":
        main()

    """#
}
