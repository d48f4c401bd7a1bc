import { z } from 'zod'
import { command } from '../command.ts'
import { formatFlag, formatOptions, optionsOf } from '../flags.ts'
import { textAt, type Shown } from '../listing/printer.ts'
import { printListing } from './listing.ts'

const shown: Shown = {
  columns: ['noteid', 'cardNoteId', 'topicid', 'page', 'startpos', 'endpos', 'text'].map(
    (name) => [name, name] as const,
  ),
  text: (one, { style }) =>
    `${style.dim(`p. ${textAt(one, 'page') || '?'}`)}  ${textAt(one, 'text')}  ${style.dim(textAt(one, 'noteid'))}`,
}

/** `excerpts MD5`: what was excerpted from a document. */
export const excerptsCommand = command({
  name: 'excerpts',
  summary: 'List the excerpts of a document',
  about: ['With --duplicates-only the host sends only the segments that stand at the same place.'],
  args: [{ name: 'md5', required: true, about: 'content identifier of the document (bookmd5)' }],
  flags: [
    formatFlag,
    { name: 'study-set', value: 'ID', about: 'only those of this study set' },
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
    return printListing(context, { id: 'documents.excerpts', params: { bookmd5 }, query, host, json, format, shown })
  },
})
