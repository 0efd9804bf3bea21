@rem On Windows npm runs scripts by cmd.exe, which has no exec of its own and looks for one here first.
@%*
