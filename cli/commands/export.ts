import { defineCommand, type CommandContext, type CommandExit } from '../base/command.ts'
import { writeFlags, parseDurationMs, createUsageError, type CommandOptions, type Flag } from '../base/flags.ts'
import { parseJson } from '../output/response-list.ts'
import { sendWrite, createWriteFlagError } from '../writes/write.ts'

const modes = ['keepStructure', 'classic', 'cardFlow'] as const
const flags = [
  { name: 'study-set', valueName: 'ID', completionKind: 'topics', description: 'for a document: whose annotations' },
  { name: 'pages', valueName: 'N,N', description: 'for a document: only these pages' },
  { name: 'blank-pages', description: 'for a document: with the blank pages that belong to it' },
  {
    name: 'mode',
    valueName: 'MODE',
    choices: modes,
    description: 'for a map: how it is laid out (default keepStructure)',
  },
  { name: 'root', valueName: 'ID', completionKind: 'notes', description: 'for a map: only what is below this card' },
  { name: 'file-name', valueName: 'NAME', description: 'for a map: name of the file' },
  ...writeFlags,
] as const satisfies readonly Flag[]
type ExportOptions = CommandOptions<typeof flags>

async function run(
  context: CommandContext,
  [kind = '', id = '']: readonly string[],
  exportOptions: ExportOptions,
): Promise<CommandExit> {
  assertFlagsEffective(kind === 'document' ? 'document' : 'map', exportOptions)
  return kind === 'document' ? exportDocument(context, id, exportOptions) : exportMap(context, id, exportOptions)
}

/** Flags that only one of the two kinds of export takes. */
const exclusiveFlags = {
  document: ['studySet', 'pages', 'blankPages'],
  map: ['mode', 'root', 'fileName'],
} as const

function assertFlagsEffective(kind: 'document' | 'map', exportOptions: ExportOptions): void {
  const other = kind === 'document' ? 'map' : 'document'
  const ineffective = exclusiveFlags[other].find((name) => exportOptions[name] !== undefined)
  if (ineffective === undefined) return
  const flag = ineffective.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw createUsageError(`--${flag} takes effect only with export ${other}.`)
}

async function exportDocument(
  context: CommandContext,
  bookmd5: string,
  exportOptions: ExportOptions,
): Promise<CommandExit> {
  const { studySet: topicid, pages, blankPages } = exportOptions
  if (topicid === undefined)
    throw createUsageError('export document needs --study-set: whose annotations are exported.')
  if (pages !== undefined && !/^\d+(,\d+)*$/.test(pages))
    throw createUsageError('--pages takes numbers with commas between them.')
  if (exportOptions.write !== true) throw createWriteFlagError('POST', `/documents/${bookmd5}/export`)
  const session = await context.openSession({
    host: exportOptions,
    isJournaled: true,
    timeLimit: exportOptions.wait ? 'none' : 'request',
    waitLockMs: parseDurationMs('wait-lock', exportOptions.waitLock),
  })
  const body = {
    topicid,
    ...(pages === undefined ? {} : { selectedPageNos: pages.split(',').map(Number) }),
    ...(blankPages ? { includeRelatedBlankPages: true } : {}),
  }
  return sendWrite(
    context,
    session,
    { endpoint: 'documents.export', params: { bookmd5 }, query: {}, body },
    exportOptions,
  )
}

/** Asks the host for the page plan first, which only reads, and sends the plan back unchanged. */
async function exportMap(context: CommandContext, topicid: string, exportOptions: ExportOptions): Promise<CommandExit> {
  const { mode = 'keepStructure', root, fileName } = exportOptions
  if (exportOptions.write !== true) throw createWriteFlagError('POST', `/study-sets/${topicid}/mindmap-print/export`)
  const session = await context.openSession({
    host: exportOptions,
    isJournaled: true,
    timeLimit: exportOptions.wait ? 'none' : 'request',
    waitLockMs: parseDurationMs('wait-lock', exportOptions.waitLock),
  })
  const { bytes } = await session.call('bridge.read', {
    endpoint: 'studySets.printPreview',
    params: { topicid },
    query: {},
    body: { mode, ...(root === undefined ? {} : { rootNoteId: root }) },
  })
  const plan = new TextDecoder().decode(bytes)
  // Checks that the plan is JSON; the host's own text is sent.
  parseJson(new Uint8Array(bytes))
  const name = fileName === undefined ? '' : `,"fileName":${JSON.stringify(fileName)}`
  const draft = {
    endpoint: 'studySets.printExport',
    params: { topicid },
    query: {},
    bodyText: `{"plan":${plan.trim()}${name}}`,
  }
  return sendWrite(context, session, draft, exportOptions)
}

/** The host writes the PDF into its export folder. */
export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Have the host write a PDF of a document or a mind map into its export folder',
  description: [
    'The file is the host’s, in its own folder. It changes none of the user’s data, but goes through the same gate as a write: --write, confirmation, journal.',
  ],
  args: [
    {
      name: 'what',
      required: true,
      choices: ['document', 'map'],
      description: 'a document with its annotations, or a mind map',
    },
    {
      name: 'id',
      required: true,
      completionKind: 'documents',
      description: 'content identifier of the document, or id of the study set',
    },
  ],
  flags,
  examples: [
    {
      commandLine: 'export document MD5 --study-set TOPIC --write --profile work',
      description: 'asks before it is sent',
    },
    { commandLine: 'export map TOPIC --mode classic --write --yes --profile work', description: 'for a script' },
  ],
  hasHostFlags: true,
  run,
})
