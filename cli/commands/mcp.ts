import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { createOptionsSchema } from '../base/flags.ts'
import { z } from 'zod'

const options = createOptionsSchema({ write: z.boolean().optional() })

async function run(
  { io, openSession, signal, streams, version }: CommandContext,
  _: readonly string[],
  mcpOptions: z.infer<typeof options>,
): Promise<CommandExit> {
  // Loaded on demand: no other command needs the protocol.
  const [{ createMcpServer, StdioServerTransport }, session] = await Promise.all([
    import('../mcp/server.ts'),
    openSession({ host: mcpOptions, isOfflineAllowed: true, timeLimit: 'request' }),
  ])
  const server = createMcpServer(session, version, mcpOptions.write === true)
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
    // A client ends the session by closing its end of the pipe.
    streams.stdin.once('end', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await server.connect(new StdioServerTransport(streams.stdin, streams.stdout))
  io.printNote('Speaking the Model Context Protocol on standard input and output.')
  await closed
  await server.close()
  return 'ok'
}

/** `mcp`: serves one host to an agent. */
export const mcpCommand = defineCommand({
  name: 'mcp',
  summary: 'Speak the Model Context Protocol on standard input and output, for agents',
  description: [
    'Every read of the contract is a tool (studySets_tree, notes_batchGet, search_get, …); study sets and cards are resources (bridge://study-sets/ID, bridge://cards/ID). No result is longer than 40 KB, pictures aside: a long answer comes as a page with a cursor, or as a summary with counts, and answer_read or the linked resource reads on. It works beside a running app and keeps nothing.',
    'findings_list, exchanges_search, exchange_get, exchanges_compare, operations_list and operation_get show what the app that runs with the same data directory has recorded; without one, what this session has asked itself, and they say which.',
    'Without --write there is no tool that writes. With it write_propose hands a write of the contract over, and write_describe says what one takes: Bridge Inspector, running with the same data directory and connected to the same host, shows the request to a person, who sends or refuses it. The tool answers with the verdict, tells its progress, and withdraws the proposal when the call is cancelled or nobody decides within ten minutes. If the app is not running, it says what to do, and nothing is sent.',
  ],
  args: [],
  flags: [
    {
      name: 'write',
      description: 'also tools that propose writes, each of which a person confirms in the running app',
    },
  ],
  examples: [
    {
      commandLine: 'mcp --profile work --token-file token',
      description: 'the command that an agent is configured with',
    },
    {
      commandLine: 'mcp --write --profile work',
      description: 'with proposals, from the installed app, which has the token',
    },
    { commandLine: 'mcp --demo', description: 'the demo library' },
  ],
  hasHostFlags: true,
  options,
  run,
})
