import { statSync } from 'node:fs'
import path from 'node:path'
import { findLayersName } from '../../shared/bridge/capabilities.ts'
import { AppError } from '../../shared/errors.ts'
import { readCapabilities } from '../writes/write-draft.ts'
import { parseResponseList, parseJsonEntry } from '../output/response-list.ts'
import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { createUsageError, type CommandOptions, type Flag } from '../base/flags.ts'
import type { ContentFacts } from '../../shared/ipc/content.ts'
import type { ConnectedSession } from '../base/session.ts'

const flags = [
  { name: 'output', short: 'o', valueName: 'FILE', description: 'where to; - for standard output' },
  { name: 'force', description: 'replace a file that exists' },
  {
    name: 'max-edge',
    valueName: 'N',
    description: 'longest edge of an image in pixels, 64 to 4096 unless the host’s capabilities say otherwise',
  },
  {
    name: 'layers',
    valueName: 'LAYERS',
    choices: ['composite', 'base'],
    description: 'the whole image, or only its base layer',
  },
] as const satisfies readonly Flag[]
type ContentOptions = CommandOptions<typeof flags>

async function run(
  { io, openSession }: CommandContext,
  [noteid = '', contentId = '']: readonly string[],
  contentOptions: ContentOptions,
): Promise<CommandExit> {
  const { output, force, maxEdge, layers } = contentOptions
  if (output === undefined) throw createUsageError('content needs -o FILE (or -o - for standard output).')
  if (output === '-' && io.isTerminal)
    throw createUsageError('Bytes are not printed on a terminal. Use -o FILE, or a pipe.')
  const file = path.resolve(output)
  if (output !== '-' && force !== true && statSync(file, { throwIfNoEntry: false })?.isFile())
    throw createUsageError('The file exists. --force replaces it.')
  const session = await openSession({ host: contentOptions, savePath: file })
  const query = { ...(maxEdge === undefined ? {} : { maxEdge }), ...(layers === undefined ? {} : { layers }) }
  const layersName = layers === undefined ? null : await readLayersName(session, noteid)
  const facts = await session.call('content.open', {
    endpoint: 'notes.content',
    params: { noteid, contentId },
    query,
    ...(layersName === null ? {} : { layersName }),
  })
  if (output === '-') await printBytes(io, session, facts)
  else await session.call('content.save', { handle: facts.handle })
  const { mediaType, declaredType, mismatch, undecodable, byteLength, width, height } = facts
  const summary = { mediaType, declaredType, mismatch, undecodable, byteLength, width, height }
  if (contentOptions.json && output !== '-') await io.print(`${JSON.stringify(summary, null, 2)}\n`)
  else {
    const size = width === null || height === null ? '' : `, ${width} × ${height}`
    io.printNote(`${mediaType}${size}${byteLength === null ? '' : `, ${byteLength.toLocaleString('en')} bytes`}`)
    if (mismatch) io.printNote(`The host calls it ${declaredType || 'nothing'}.`)
  }
  if (!undecodable) return 'ok'
  io.printStderr('ENCODING_BROKEN: The bytes do not decode as their Content-Encoding says. They are as received.')
  return 'partial'
}

/** Returns null if neither the capabilities nor the card contain the name. */
async function readLayersName({ call }: ConnectedSession, noteid: string): Promise<string | null> {
  const capabilities = await readCapabilities(call)
  try {
    const body = { noteIds: [noteid] }
    const { bytes } = await call('bridge.read', { endpoint: 'notes.batchGet', params: {}, query: {}, body })
    const [card] = parseResponseList('notes.batchGet', new Uint8Array(bytes)).entries
    return findLayersName(card && parseJsonEntry(card), capabilities)
  } catch (error) {
    if (error instanceof AppError && ['host', 'malformed', 'unread'].includes(error.kind))
      return findLayersName(null, capabilities)
    throw error
  }
}

const SLICE_BYTES = 4 * 1024 * 1024

async function printBytes(
  io: CommandContext['io'],
  { call }: ConnectedSession,
  { handle }: ContentFacts,
): Promise<void> {
  for (let start = 0; ;) {
    const { bytes } = await call('content.slice', { handle, start, end: start + SLICE_BYTES })
    await io.print(new Uint8Array(bytes))
    start += bytes.byteLength
    if (bytes.byteLength < SLICE_BYTES) return
  }
}

export const contentCommand = defineCommand({
  name: 'content',
  summary: 'Save an image, a sound or a video of a card',
  description: [
    'The bytes are saved as the host sent them. A file is written whole or not at all, and never replaced without --force. What they are, judged by the bytes, is said on standard error, or as JSON on standard output with --json.',
  ],
  args: [
    { name: 'note', required: true, completionKind: 'notes', description: 'id of the card' },
    { name: 'part', required: true, completionKind: 'parts', description: 'contentId of the part (see cards)' },
  ],
  flags,
  examples: [{ commandLine: 'content NOTE PART -o picture.png --profile work', description: 'into a file' }],
  hasHostFlags: true,
  run,
})
