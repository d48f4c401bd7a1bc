import { z } from 'zod'
import { command } from '../base/command.ts'
import { formatFlag, formatOptions, optionsOf } from '../base/flags.ts'
import { duplicateSides } from '../../shared/bridge/duplicates.ts'
import { textAt, type Shown } from '../output/printer.ts'
import { printListing } from './listing.ts'

const shown: Shown = {
  columns: ['noteid', 'cardNoteId', 'topicid', 'page', 'startpos', 'endpos', 'text'].map(
    (name) => [name, name] as const,
  ),
  text: (one, { style }) =>
    `${style.dim(`p. ${textAt(one, 'page') || '?'}`)}  ${textAt(one, 'text')}  ${style.dim(textAt(one, 'noteid'))}`,
}

/** One row for each excerpt of a duplicate segment; `duplicate` is the same for those at one place. */
function duplicatesShown(): Shown {
  let count = 0
  return {
    columns: [['duplicate', 'duplicate'], ...shown.columns],
    rows(entry) {
      count += 1
      const sides = duplicateSides(entry)
      // An element of a shape that is not recognised is a row without ids, as it was sent.
      const rows = sides.length > 0 ? sides : [{ text: JSON.stringify(entry) }]
      return rows.map((side) => ({ ...side, duplicate: count }))
    },
    text: (side, { style }) =>
      [
        style.dim(`${textAt(side, 'duplicate')}  p. ${textAt(side, 'page') || '?'}`),
        textAt(side, 'text'),
        style.dim(`record ${textAt(side, 'noteid') || '?'}  card ${textAt(side, 'cardNoteId') || '?'}`),
        style.dim(textAt(side, 'topicid')),
      ]
        .filter((part) => part !== '')
        .join('  '),
  }
}

/** `excerpts MD5`: what was excerpted from a document. */
export const excerptsCommand = command({
  name: 'excerpts',
  summary: 'List the excerpts of a document',
  about: [
    'With --duplicates-only the host sends only the segments that stand at the same place: their shape is the host’s own. ndjson is one segment a line as it was sent, text and csv have one row for each excerpt that is recognised in it, numbered by segment.',
  ],
  args: [
    { name: 'md5', required: true, completes: 'documents', about: 'content identifier of the document (bookmd5)' },
  ],
  flags: [
    formatFlag,
    { name: 'study-set', value: 'ID', completes: 'topics', about: 'only those of this study set' },
    { name: 'duplicates-only', about: 'only duplicate segments' },
  ],
  examples: [
    { line: 'excerpts MD5 --profile work --format csv > excerpts.csv', about: 'a table for a spreadsheet' },
    { line: 'excerpts MD5 --profile work --study-set TOPIC', about: 'of one study set' },
  ],
  host: true,
  options: optionsOf({ ...formatOptions, studySet: z.string().optional(), duplicatesOnly: z.boolean().optional() }),
  run: (context, [bookmd5 = ''], { studySet, duplicatesOnly, format, json, ...host }) => {
    const query = { ...(studySet === undefined ? {} : { studySet }), ...(duplicatesOnly ? { duplicatesOnly: 1 } : {}) }
    return printListing(context, {
      id: 'documents.excerpts',
      params: { bookmd5 },
      query,
      host,
      json,
      format,
      shown: duplicatesOnly ? duplicatesShown() : shown,
      ...(duplicatesOnly ? { list: 'duplicates' } : {}),
    })
  },
})
