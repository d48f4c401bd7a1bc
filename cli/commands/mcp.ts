import { command, type Context, type Ending } from '../command.ts'
import { optionsOf } from '../flags.ts'
import type { z } from 'zod'

const options = optionsOf({})

async function run(
  { io, open, signal, streams, version }: Context,
  _: readonly string[],
  given: z.infer<typeof options>,
): Promise<Ending> {
  // Only here: no other command needs the protocol.
  const [{ createServer, StdioServerTransport }, session] = await Promise.all([
    import('../mcp/server.ts'),
    open({ host: given, anyState: true }),
  ])
  const server = createServer(session, version)
  const closed = new Promise<void>((resolve) => {
    server.server.onclose = resolve
    // The client is gone when it closes its end.
    streams.stdin.once('end', resolve)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await server.connect(new StdioServerTransport(streams.stdin, streams.stdout))
  io.remark('Speaking the Model Context Protocol on standard input and output.')
  await closed
  await server.close()
  return 'ok'
}

/** `mcp`: the reads of one host for an agent. */
export const mcpCommand = command({
  name: 'mcp',
  summary: 'Speak the Model Context Protocol on standard input and output, for agents',
  about: [
    'Every read of the contract is a tool (studySets_tree, notes_batchGet, search_get, …); study sets and cards are resources (bridge://study-sets/ID, bridge://cards/ID). Only reads: there is no tool that writes, and --write is not taken. Long answers are cut and say so.',
    'It works beside a running app and keeps nothing.',
  ],
  args: [],
  flags: [],
  examples: [
    { line: 'mcp --profile work --token-file token', about: 'the command that an agent is configured with' },
    { line: 'mcp --demo', about: 'the demo library' },
  ],
  host: true,
  options,
  run,
})
