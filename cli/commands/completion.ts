import { parseConfig } from '../../electron/config.ts'
import { readRecentRequests } from '../../electron/services/traffic/disk/traffic-database.ts'
import { endpoints, classifyRequest } from '../../shared/bridge/endpoints/index.ts'
import { z } from 'zod'
import { defineCommand, type CommandContext } from '../base/command.ts'
import { shells, type Shell } from '../describe/completion-script.ts'
import { completionKinds, type CompletionKind, usageError } from '../base/flags.ts'

/** How many of the last requests are looked through for ids. */
const MAX_REQUESTS = 2_000

const parameters: Readonly<Partial<Record<CompletionKind, string>>> = {
  topics: 'topicid',
  notes: 'noteid',
  documents: 'bookmd5',
  parts: 'contentId',
}

/** The values of a kind, each once: ids are those in the requests that the app has recorded. */
async function valuesOf(
  kind: CompletionKind,
  dataDir: string | undefined,
  open: CommandContext['openSession'],
): Promise<string[]> {
  if (kind === 'methods') return [...new Set(endpoints.map(({ method }) => method))]
  if (kind === 'paths') return [...new Set(endpoints.map(({ path }) => path))]
  if (kind === 'profiles') {
    const { call } = await open({ host: { dataDir }, isOfflineAllowed: true })
    return (await call('profiles.list', {})).map(({ profile }) => profile.name)
  }
  const folder = parseConfig(dataDir === undefined ? [] : [`--data-dir=${dataDir}`], process.env).dataDir
  const ids = readRecentRequests(folder, MAX_REQUESTS).flatMap(({ method, path }) => {
    const found = classifyRequest(method, path)
    return found.endpoint === null ? [] : (found.params[parameters[kind] ?? ''] ?? [])
  })
  return [...new Set(ids)]
}

/** `completion SHELL`: a script for the shell; which commands there are is known to whoever builds the program. */
export const createCompletionCommand = (script: (shell: Shell) => string) =>
  defineCommand({
    name: 'completion',
    summary: 'Print a script that completes commands, flags and values in a shell',
    description: [
      'Values are completed as well: profiles, methods, paths, what a flag lists, and the ids in the requests that the app has recorded. The script asks for them with "completion values KIND", one a line; that asks no host.',
    ],
    args: [
      {
        name: 'shell',
        required: true,
        choices: [...shells, 'values'],
        description: 'the shell; values prints what scripts ask for',
      },
      { name: 'kind', required: false, choices: completionKinds, description: 'with values: which' },
    ],
    flags: [{ name: 'data-dir', valueName: 'DIR', description: 'where profiles and recorded requests are kept' }],
    examples: [
      { commandLine: 'completion bash >> ~/.bash_completion', description: 'bash' },
      { commandLine: 'completion zsh > ~/_bridge-inspector', description: 'zsh; put the file into a folder of fpath' },
      {
        commandLine: 'completion fish > ~/bridge-inspector.fish',
        description: 'fish; put the file into ~/.config/fish/completions',
      },
      { commandLine: 'completion powershell >> $PROFILE', description: 'PowerShell' },
    ],
    options: z.object({ dataDir: z.string().optional() }),
    async run({ io, openSession: open }, args, { dataDir }) {
      const [shell, kind = 'profiles'] = args
      if (shell !== 'values' && args.length > 1) throw usageError('KIND takes effect only with values.')
      const known = shells.find((one) => one === shell)
      if (known) await io.print(script(known))
      else {
        const values = await valuesOf(completionKinds.find((one) => one === kind) ?? 'profiles', dataDir, open)
        // A line break would make two values of one.
        for (const value of values) if (!/[\r\n]/.test(value)) await io.print(`${value}\n`)
      }
      return 'ok'
    },
  })
