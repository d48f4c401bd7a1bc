import { statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { layersNameIn } from '../../shared/bridge/resources/notes.ts'
import { AppError } from '../../shared/errors.ts'
import { entriesOf, valueOf } from '../output/entries.ts'
import { command, type Context, type Ending } from '../base/command.ts'
import { optionsOf, usageError } from '../base/flags.ts'
import type { ContentFacts } from '../../shared/ipc/content.ts'
import type { Opened } from '../base/session.ts'

const options = optionsOf({
  output: z.string().optional(),
  force: z.boolean().optional(),
  maxEdge: z.string().optional(),
  layers: z.enum(['composite', 'base']).optional(),
})

async function run(
  { io, open }: Context,
  [noteid = '', contentId = '']: readonly string[],
  given: z.infer<typeof options>,
): Promise<Ending> {
  const { output, force, maxEdge, layers } = given
  if (output === undefined) throw usageError('content needs -o FILE (or -o - for standard output).')
  if (output === '-' && io.terminal) throw usageError('Bytes are not printed on a terminal. Use -o FILE, or a pipe.')
  const file = path.resolve(output)
  if (output !== '-' && force !== true && statSync(file, { throwIfNoEntry: false })?.isFile())
    throw usageError('The file exists. --force replaces it.')
  const session = await open({ host: given, saveTo: file })
  const query = { ...(maxEdge === undefined ? {} : { maxEdge }), ...(layers === undefined ? {} : { layers }) }
  const named = layers === undefined ? null : await layersNameOf(session, noteid)
  const facts = await session.call('content.open', {
    endpoint: 'notes.content',
    params: { noteid, contentId },
    query,
    ...(named === null ? {} : { layersName: named }),
  })
  if (output === '-') await printBytes(io, session, facts)
  else await session.call('content.save', { handle: facts.handle })
  const { mediaType, declaredType, mismatch, byteLength, width, height } = facts
  const said = { mediaType, declaredType, mismatch, byteLength, width, height }
  if (given.json && output !== '-') await io.print(`${JSON.stringify(said, null, 2)}\n`)
  else {
    const size = width === null || height === null ? '' : `, ${width} × ${height}`
    io.remark(`${mediaType}${size}${byteLength === null ? '' : `, ${byteLength.toLocaleString('en')} bytes`}`)
    if (mismatch) io.remark(`The host calls it ${declaredType || 'nothing'}.`)
  }
  return 'ok'
}

/** How the host names the parameter, by the paths that the card itself has; null if they do not say, or the card can't be read. */
async function layersNameOf({ call }: Opened, noteid: string): Promise<string | null> {
  try {
    const body = { noteIds: [noteid] }
    const { bytes } = await call('bridge.read', { endpoint: 'notes.batchGet', params: {}, query: {}, body })
    const [card] = entriesOf('notes.batchGet', new Uint8Array(bytes)).entries
    return card === undefined ? null : layersNameIn(valueOf(card))
  } catch (error) {
    if (error instanceof AppError && (error.kind === 'host' || error.kind === 'malformed')) return null
    throw error
  }
}

const SLICE = 4 * 1024 * 1024

async function printBytes(io: Context['io'], { call }: Opened, { handle }: ContentFacts): Promise<void> {
  for (let start = 0; ;) {
    const { bytes } = await call('content.slice', { handle, start, end: start + SLICE })
    await io.print(new Uint8Array(bytes))
    start += bytes.byteLength
    if (bytes.byteLength < SLICE) return
  }
}

/** `content NOTE PART -o FILE`: an image, sound or video of a card. */
export const contentCommand = command({
  name: 'content',
  summary: 'Save an image, a sound or a video of a card',
  about: [
    'The bytes are saved as the host sent them. A file is written whole or not at all, and never replaced without --force. What they are, judged by the bytes, is said on standard error, or as JSON on standard output with --json.',
  ],
  args: [
    { name: 'note', required: true, completes: 'notes', about: 'id of the card' },
    { name: 'part', required: true, completes: 'parts', about: 'contentId of the part (see cards)' },
  ],
  flags: [
    { name: 'output', short: 'o', value: 'FILE', about: 'where to; - for standard output' },
    { name: 'force', about: 'replace a file that exists' },
    {
      name: 'max-edge',
      value: 'N',
      about: 'longest edge of an image in pixels, 64 to 4096 unless the host’s capabilities say otherwise',
    },
    {
      name: 'layers',
      value: 'LAYERS',
      choices: ['composite', 'base'],
      about: 'the whole image, or only its base layer',
    },
  ],
  examples: [{ line: 'content NOTE PART -o picture.png --profile work', about: 'into a file' }],
  host: true,
  options,
  run,
})
