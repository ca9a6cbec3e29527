/// What Ollama, llama.cpp, mlx-lm, transformers, llm and Apple's toolkit call the options of commands that run a base, or what to do
/// where there is none.
enum KnownElsewhere {
  static let base = [
    "--model": "--base", "--model-path": "--base", "--model-name-or-path": "--base",
    "--base-model": "--base", "-m": "--base",
  ]

  static let model = base.merging([
    "--lora": "--adapter", "--adapter-path": "--adapter", "--lora-path": "--adapter",
    "--lora-scaled": "--adapter-scale", "--lora-scale": "--adapter-scale",
    "--cache-type-k": "--kv", "--cache-type-v": "--kv", "-ctk": "--kv", "-ctv": "--kv",
    "--kv-bits": "--kv", "--ctx-size": context, "--num-ctx": context, "--max-kv-size": context,
    "-c": context, "--n-gpu-layers": processor, "--gpu-layers": processor, "-ngl": processor,
  ]) { $1 }

  static let bench = model.merging([
    "-p": "--prompt-tokens", "--n-prompt": "--prompt-tokens", "-n": "--generate-tokens",
    "--n-gen": "--generate-tokens", "-r": "--rounds", "--repetitions": "--rounds",
    "-t": "--threads",
  ]) { $1 }

  static let run = model.merging([
    "--prompt": prompt, "-p": prompt, "--file": file, "-f": file, "--prompt-file": file,
    "--interactive": chat, "-i": chat, "--conversation": chat, "-cnv": chat, "--chat": chat,
    "--hf-repo": hub, "-hf": hub, "-hfr": hub, "--stream": stream, "--verbose": figures,
    "-v": figures, "--system": "--instructions", "--system-prompt": "--instructions",
    "-sys": "--instructions", "--temp": "--temperature", "--n-predict": "--max-tokens",
    "--num-predict": "--max-tokens", "--predict": "--max-tokens",
    "--max-new-tokens": "--max-tokens", "--max-length": "--max-tokens",
    "--repeat-penalty": "--repetition-penalty", "--format": "--schema", "--grammar": "--schema",
    "--json-schema": "--schema", "--json-schema-file": "--schema",
    "--response-format": "--schema", "--chat-template": "--chat-format",
    "--template": "--chat-format", "--model-draft": "--draft", "--draft-model": "--draft",
    "-md": "--draft", "--draft-checkpoint": "--draft", "--checkpoint": adapter,
    "--think": thoughts, "--enable-thinking": thoughts, "--url": "--server",
    "--base-url": "--server", "--api-base": "--server", "--api-base-url": "--server",
  ]) { $1 }

  static let serve = base.merging([
    "--bind": "--listen", "--address": "--listen", "--api-key": "--api-key-file",
    "--cors-origins": "--allow-origin", "--allowed-origins": "--allow-origin",
    "--max-num-seqs": "--parallel", "-np": "--parallel", "--uds": "--socket",
    "-t": "--threads", "--kv-cache-memory-bytes": "--cache-memory", "--kv-cache-dtype": "--kv",
    "--cache-type-k": "--kv", "--cache-type-v": "--kv", "--ctx-size": context, "-c": context,
    "--max-model-len": context, "--n-gpu-layers": processor, "-ngl": processor,
    "--served-model-name": names, "--enable-lora": names, "--lora-modules": names,
    "--lora": names, "--adapter": names,
  ]) { $1 }

  private static let names = "every installed adapter is served by its name"
  private static let context = "the context is as long as the base allows"
  private static let processor = "everything runs on the processor"
  private static let prompt = "the prompt is a word by itself, in quotation marks"
  private static let adapter = "the adapter is a word by itself"
  private static let file = "a prompt in a file is read with - < FILE"
  private static let chat = "without a prompt it is a chat"
  private static let hub = "install it first, with 'fmadapter base install hf:OWNER/REPO'"
  private static let stream = "text always comes as it is generated"
  private static let figures = "figures always follow an answer"
  private static let thoughts = "a model that can think does so unless --no-think is given"
}
