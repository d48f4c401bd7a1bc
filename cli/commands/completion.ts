import { parseConfig } from '../../electron/config.ts'
import { requestsIn } from '../../electron/services/traffic/disk/open.ts'
import { endpoints, findEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { z } from 'zod'
import { command, type Context } from '../base/command.ts'
import { shells, type Shell } from '../describe/completion.ts'
import { valueKinds, type ValueKind, usageError } from '../base/flags.ts'

/** How many of the last requests are looked through for ids. */
const MAX_REQUESTS = 2_000

const parameters: Readonly<Partial<Record<ValueKind, string>>> = {
  topics: 'topicid',
  notes: 'noteid',
  documents: 'bookmd5',
  parts: 'contentId',
}

/** The values of a kind, each once: ids are those in the requests that the app has recorded. */
async function valuesOf(kind: ValueKind, dataDir: string | undefined, open: Context['open']): Promise<string[]> {
  if (kind === 'methods') return [...new Set(endpoints.map(({ method }) => method))]
  if (kind === 'paths') return [...new Set(endpoints.map(({ path }) => path))]
  if (kind === 'profiles') {
    const { call } = await open({ host: { dataDir }, anyState: true })
    return (await call('profiles.list', {})).map(({ profile }) => profile.name)
  }
  const folder = parseConfig(dataDir === undefined ? [] : [`--data-dir=${dataDir}`], process.env).dataDir
  const ids = requestsIn(folder, MAX_REQUESTS).flatMap(({ method, path }) => {
    const found = findEndpoint(method, path)
    return found.endpoint === null ? [] : (found.params[parameters[kind] ?? ''] ?? [])
  })
  return [...new Set(ids)]
}

/** `completion SHELL`: a script for the shell; which commands there are is known to whoever builds the program. */
export const completionCommand = (script: (shell: Shell) => string) =>
  command({
    name: 'completion',
    summary: 'Print a script that completes commands, flags and values in a shell',
    about: [
      'Values are completed as well: profiles, methods, paths, what a flag lists, and the ids in the requests that the app has recorded. The script asks for them with "completion values KIND", one a line; that asks no host.',
    ],
    args: [
      {
        name: 'shell',
        required: true,
        choices: [...shells, 'values'],
        about: 'the shell; values prints what scripts ask for',
      },
      { name: 'kind', required: false, choices: valueKinds, about: 'with values: which' },
    ],
    flags: [{ name: 'data-dir', value: 'DIR', about: 'where profiles and recorded requests are kept' }],
    examples: [
      { line: 'completion bash >> ~/.bash_completion', about: 'bash' },
      { line: 'completion zsh > ~/_bridge-inspector', about: 'zsh; put the file into a folder of fpath' },
      {
        line: 'completion fish > ~/bridge-inspector.fish',
        about: 'fish; put the file into ~/.config/fish/completions',
      },
      { line: 'completion powershell >> $PROFILE', about: 'PowerShell' },
    ],
    options: z.object({ dataDir: z.string().optional() }),
    async run({ io, open }, args, { dataDir }) {
      const [shell, kind = 'profiles'] = args
      if (shell !== 'values' && args.length > 1) throw usageError('KIND takes effect only with values.')
      const known = shells.find((one) => one === shell)
      if (known) await io.print(script(known))
      else {
        const values = await valuesOf(valueKinds.find((one) => one === kind) ?? 'profiles', dataDir, open)
        // A line break would make two values of one.
        for (const value of values) if (!/[\r\n]/.test(value)) await io.print(`${value}\n`)
      }
      return 'ok'
    },
  })
