import { readRecentRequests } from '../../electron/services/traffic/recorded/recorded-traffic.ts'
import { endpoints, classifyRequest } from '../../shared/bridge/endpoints/index.ts'
import { defineCommand, type Command, type CommandContext } from '../base/command.ts'
import { createCompletionScript, shells } from '../describe/completion-script.ts'
import { completionKinds, type CompletionKind, createUsageError } from '../base/flags.ts'
import { getDataDir } from '../base/session.ts'

/** Number of recent requests in which ids are searched. */
const MAX_REQUESTS = 2_000

const parameterNames: Readonly<Partial<Record<CompletionKind, string>>> = {
  topics: 'topicid',
  notes: 'noteid',
  documents: 'bookmd5',
  parts: 'contentId',
}

/** Lists the values that a shell offers. Ids come from the requests that the app has recorded. */
async function listValues(
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
  const folder = getDataDir(dataDir, process.env)
  const requests = await readRecentRequests(folder, MAX_REQUESTS)
  const ids = requests.flatMap(({ method, path }) => {
    const classified = classifyRequest(method, path)
    return classified.endpoint === null ? [] : (classified.params[parameterNames[kind] ?? ''] ?? [])
  })
  return [...new Set(ids)]
}

/** The caller passes the loader, because the commands themselves include this one. */
export function createCompletionCommand(loadCommands: () => Promise<readonly Command[]>) {
  return defineCommand({
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
    async run({ io, openSession }, args, { dataDir }) {
      const [shell, kind = 'profiles'] = args
      if (shell !== 'values' && args.length > 1) throw createUsageError('KIND takes effect only with values.')
      const knownShell = shells.find((name) => name === shell)
      if (knownShell) await io.print(createCompletionScript(knownShell, await loadCommands()))
      else {
        const values = await listValues(
          completionKinds.find((name) => name === kind) ?? 'profiles',
          dataDir,
          openSession,
        )
        // Values are separated by line breaks, so a value that contains one is left out.
        for (const value of values) if (!/[\r\n]/.test(value)) await io.print(`${value}\n`)
      }
      return 'ok'
    },
  })
}
