import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { type CommandOptions, type Flag } from '../base/flags.ts'

const flags = [
  {
    name: 'write',
    description: 'add tools that propose writes, each of which a person confirms in the running app',
  },
] as const satisfies readonly Flag[]
type McpOptions = CommandOptions<typeof flags>

async function run(
  { io, openSession, signal, streams, version }: CommandContext,
  _: readonly string[],
  mcpOptions: McpOptions,
): Promise<CommandExit> {
  // Only this command needs the protocol, so the modules are loaded on demand.
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

export const mcpCommand = defineCommand({
  name: 'mcp',
  summary: 'Speak the Model Context Protocol on standard input and output, for agents',
  description: [
    'Every read of the contract is a tool (studySets_tree, notes_batchGet, search_get, …); study sets and cards are resources (bridge://study-sets/ID, bridge://cards/ID). No result except a picture is longer than 40 KB: a long response is returned as a page with a cursor, or as a summary with counts, and answer_read or the linked resource returns the rest. The server works beside a running app and stores nothing.',
    'findings_list, exchanges_search, exchange_get, exchanges_compare, operations_list and operation_get show what the app that runs with the same data directory has recorded, or the recording that is open in it. If no such app is running, they show the requests of this session. Each result says which of these it is. changes_list needs that app, because this session keeps no snapshots.',
    'Without --write no tool can write. With --write, write_describe describes the arguments of a write, and write_propose proposes one: Bridge Inspector, running with the same data directory and connected to the same host, shows the request to a person, who sends or refuses it. The tool reports progress and returns the verdict. It withdraws the proposal if the call is cancelled or nobody decides within ten minutes. If the app is not running, the tool says what to do, and nothing is sent.',
  ],
  args: [],
  flags,
  examples: [
    {
      commandLine: 'mcp --profile work --token-file token',
      description: 'the command to put into the configuration of an agent',
    },
    {
      commandLine: 'mcp --write --profile work',
      description: 'with proposals, from the installed app, which has the token',
    },
    { commandLine: 'mcp --demo', description: 'the demo library' },
  ],
  hasHostFlags: true,
  run,
})
