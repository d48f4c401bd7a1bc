import { defineCommand } from '../base/command.ts'
import { outputFormatFlag } from '../base/flags.ts'
import { parseDuplicateExcerpts } from '../../shared/bridge/duplicates.ts'
import { getTextAt, type EntryLayout } from '../output/entry-printer.ts'
import { printList } from './list-output.ts'

const layout: EntryLayout = {
  columns: ['noteid', 'cardNoteId', 'topicid', 'page', 'startpos', 'endpos', 'text'].map(
    (name) => [name, name] as const,
  ),
  formatText: (excerpt, { style }) =>
    `${style.dim(`p. ${getTextAt(excerpt, 'page') || '?'}`)}  ${getTextAt(excerpt, 'text')}  ${style.dim(getTextAt(excerpt, 'noteid'))}`,
}

/** Each excerpt of a duplicate segment is a line; those of one segment share `duplicate`. */
function createDuplicatesLayout(): EntryLayout {
  let count = 0
  return {
    columns: [['duplicate', 'duplicate'], ...layout.columns],
    toRows(entry) {
      count += 1
      const sides = parseDuplicateExcerpts(entry)
      // An element of unknown shape becomes a row without ids that holds its JSON.
      const rows = sides.length > 0 ? sides : [{ text: JSON.stringify(entry) }]
      return rows.map((side) => ({ ...side, duplicate: count }))
    },
    formatText: (side, { style }) =>
      [
        style.dim(`${getTextAt(side, 'duplicate')}  p. ${getTextAt(side, 'page') || '?'}`),
        getTextAt(side, 'text'),
        style.dim(`record ${getTextAt(side, 'noteid') || '?'}  card ${getTextAt(side, 'cardNoteId') || '?'}`),
        style.dim(getTextAt(side, 'topicid')),
      ]
        .filter((part) => part !== '')
        .join('  '),
  }
}

export const excerptsCommand = defineCommand({
  name: 'excerpts',
  summary: 'List the excerpts of a document',
  description: [
    'With --duplicates-only the host sends only the segments that stand at the same place: their shape is the host’s own. ndjson is one segment a line as it was sent, text and csv have one row for each excerpt that is recognised in it, numbered by segment.',
  ],
  args: [
    {
      name: 'md5',
      required: true,
      completionKind: 'documents',
      description: 'content identifier of the document (bookmd5)',
    },
  ],
  flags: [
    outputFormatFlag,
    { name: 'study-set', valueName: 'ID', completionKind: 'topics', description: 'only those of this study set' },
    { name: 'duplicates-only', description: 'only duplicate segments' },
  ],
  examples: [
    {
      commandLine: 'excerpts MD5 --profile work --format csv > excerpts.csv',
      description: 'a table for a spreadsheet',
    },
    { commandLine: 'excerpts MD5 --profile work --study-set TOPIC', description: 'of one study set' },
  ],
  hasHostFlags: true,
  run: (context, [bookmd5 = ''], { studySet, duplicatesOnly, format, json, ...host }) => {
    const query = { ...(studySet === undefined ? {} : { studySet }), ...(duplicatesOnly ? { duplicatesOnly: 1 } : {}) }
    return printList(context, {
      id: 'documents.excerpts',
      params: { bookmd5 },
      query,
      host,
      json,
      format,
      layout: duplicatesOnly ? createDuplicatesLayout() : layout,
      ...(duplicatesOnly ? { list: 'duplicates' } : {}),
    })
  },
})
