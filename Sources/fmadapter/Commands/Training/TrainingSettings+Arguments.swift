import SystemFiles

extension TrainingSettings {
  /// What was trained with before, with what the command line says over it.
  init(_ invocation: Invocation, at place: TrainingPlace) throws {
    let arguments = invocation.arguments
    var path = arguments.value(TrainCommand.config)
    if arguments.value(TrainCommand.moreEpochs) != nil {
      path = place.files.settings
    } else if path == nil, place.goesOn, arguments.text(TrainCommand.data) == nil {
      path = place.work.settings
      if try FileSystem.info(place.work.settings) == nil {
        throw Failure(
          .notFound,
          "\(place.work.settings): the settings of the training that was stopped here are not there"
            + "\(remedy: "give the data and the options that it was begun with")")
      }
    }
    if let path {
      try self.init(path: path)
      if arguments.value(TrainCommand.config) != nil, goesOnWith != nil {
        throw Failure(
          .invalid,
          "\(path): this training went on with a package that it replaced, and cannot be repeated"
            + "\(remedy: "give the configuration of a training from its start")")
      }
      try find(beside: path, data: arguments.text(TrainCommand.data))
    } else if let data = arguments.text(TrainCommand.data) {
      self.init(data: data)
    } else if arguments.has(TrainCommand.resume) {
      if let again = try place.commandToBeginAnew {
        throw Failure(
          .notFound,
          "\(place.checkpoint): there is no checkpoint, as what was begun here ended before its first"
            + "\(remedy: "'\(again)' begins it anew")")
      }
      throw Failure(
        .notFound,
        "\(place.checkpoint): there is no checkpoint, so no training was stopped here"
          + "\(remedy: "give a data set to start one")")
    } else {
      throw invocation.conflict("a data set is needed, or --config")
    }
    valid = arguments.value(TrainCommand.valid) ?? valid
    base = arguments.value(ModelOptions.base) ?? base
    chatFormat = arguments.value(AnswerOptions.chatFormat) ?? chatFormat
    if let share = arguments.value(TrainCommand.heldOut), share != heldOut {
      (heldOut, heldOutSHA256) = (share, nil)
    }
    from = arguments.value(TrainCommand.from) ?? from
    patience = arguments.value(TrainOptions.patience) ?? patience
    name = arguments.value(PackageOptions.name) ?? name
    author = arguments.value(PackageOptions.author) ?? author
    description = arguments.value(PackageOptions.description) ?? description
    license = arguments.value(PackageOptions.license) ?? license
    version = arguments.value(PackageOptions.version).map { "\($0)" } ?? version
    suffixes = suffixes || arguments.has(TrainCommand.suffixes)
  }
}
