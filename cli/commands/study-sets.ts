import type { z } from 'zod'
import { command, type Context, type Ending } from '../base/command.ts'
import { formatFlag, formatOptions, optionsOf } from '../base/flags.ts'
import { textAt, type Shown } from '../output/printer.ts'
import { printListing } from './listing.ts'

const options = optionsOf(formatOptions)
type Options = z.infer<typeof options>

const studySets: Shown = {
  columns: [
    ['topicid', 'topicid|topicId|studySetId|id'],
    ['title', 'title|name'],
    ['noteCount', 'noteCount|cardCount'],
    ['documentCount', 'documentCount'],
    ['lastModifiedAt', 'lastModifiedAt|modifiedAt|updatedAt|lastModified'],
  ],
  text: (set, { style }) => {
    const [cards, documents] = [textAt(set, 'noteCount|cardCount'), textAt(set, 'documentCount')]
    const counts = [cards && `${cards} cards`, documents && `${documents} documents`].filter((one) => one !== '')
    const changed = textAt(set, 'lastModifiedAt|modifiedAt|updatedAt|lastModified')
    const facts = [...counts, ...(changed === '' ? [] : [`changed ${changed}`])].join(', ')
    const id = style.dim(textAt(set, 'topicid|topicId|studySetId|id'))
    return `${textAt(set, 'title|name') || style.dim('untitled')}  ${facts}  ${id}`
  },
}

const documents: Shown = {
  columns: [
    ['bookmd5', 'bookmd5|bookMd5|bookMD5|md5|documentId|id'],
    ['title', 'title|name|filename'],
    ['sourceState', 'sourceState'],
    ['main', 'main|isMain|isMainDocument|mainDocument'],
    ['pageCount', 'pageCount|pageTotal|totalPages'],
    ['excerptCount', 'excerptCount'],
  ],
  text: (document, { style }) => {
    const [pages, excerpts] = [textAt(document, 'pageCount|pageTotal|totalPages'), textAt(document, 'excerptCount')]
    const facts = [
      pages && `${pages} pages`,
      excerpts && `${excerpts} excerpts`,
      textAt(document, 'sourceState'),
      textAt(document, 'main|isMain|isMainDocument|mainDocument') === 'true' ? 'main document' : '',
    ].filter((one) => one !== '')
    const id = style.dim(textAt(document, 'bookmd5|bookMd5|bookMD5|md5|documentId|id'))
    return `${textAt(document, 'title|name|filename') || style.dim('untitled')}  ${facts.join(', ')}  ${id}`
  },
}

const listStudySets = (context: Context, { format, json, ...host }: Options): Promise<Ending> =>
  printListing(context, { id: 'studySets.list', params: {}, query: {}, host, json, format, shown: studySets })

/** `study-sets`, and `documents TOPIC`: the ids that other commands take. */
export const studySetCommands = [
  command({
    name: 'study-sets',
    summary: 'List the study sets: id, title, numbers of cards and documents, last change',
    about: [],
    args: [],
    flags: [formatFlag],
    examples: [
      { line: 'study-sets --demo', about: 'the ids that tree, palette and documents take' },
      { line: 'study-sets --profile work --format csv > study-sets.csv', about: 'a table for a spreadsheet' },
    ],
    host: true,
    options,
    run: (context, _, given) => listStudySets(context, given),
  }),
  command({
    name: 'documents',
    summary: 'List the documents of a study set: content identifier, title, state, numbers of pages and excerpts',
    about: [],
    args: [{ name: 'topic', required: true, completes: 'topics', about: 'id of the study set (see study-sets)' }],
    flags: [formatFlag],
    examples: [{ line: 'documents TOPIC --profile work', about: 'the content identifiers that excerpts takes' }],
    host: true,
    options,
    run: (context, [topicid = ''], { format, json, ...host }) =>
      printListing(context, {
        id: 'studySets.documents',
        params: { topicid },
        query: {},
        host,
        json,
        format,
        shown: documents,
      }),
  }),
]
