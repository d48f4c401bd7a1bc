import { z } from 'zod'
import { command } from '../command.ts'
import { shells } from '../describe/completion.ts'

/** `completion SHELL`: a script for the shell; which commands there are is known to whoever builds the program. */
export const completionCommand = (script: (shell: (typeof shells)[number]) => string) =>
  command({
    name: 'completion',
    summary: 'Print a script that completes commands and flags in a shell',
    about: [],
    args: [{ name: 'shell', required: true, choices: shells, about: 'the shell' }],
    flags: [],
    examples: [
      { line: 'completion bash > ~/.local/share/bash-completion/completions/bridge-inspector', about: 'bash' },
      { line: 'completion zsh > ~/.zfunc/_bridge-inspector', about: 'zsh, with ~/.zfunc in fpath' },
      { line: 'completion fish > ~/.config/fish/completions/bridge-inspector.fish', about: 'fish' },
      { line: 'completion powershell >> $PROFILE', about: 'PowerShell' },
    ],
    options: z.object({}),
    async run({ io }, [shell]) {
      const known = shells.find((one) => one === shell)
      if (known) await io.print(script(known))
      return 'ok'
    },
  })
