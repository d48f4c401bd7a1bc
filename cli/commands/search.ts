import { z } from 'zod'
import { command } from '../base/command.ts'
import { formatFlag, formatOptions, optionsOf } from '../base/flags.ts'
import { textAt, type Shown } from '../output/printer.ts'
import { printListing } from './listing.ts'

/** Each id once, under its documented name: a host may call it otherwise. */
const ids = ['noteid', 'topicid', 'bookmd5', 'id'] as const
const ways = {
  noteid: 'noteid|noteId',
  topicid: 'topicid|topicId|studySetId',
  bookmd5: 'bookmd5|bookMd5|md5',
  id: 'id',
} as const

const shown: Shown = {
  isEachOnce: true,
  columns: [['kind', 'kind'], ['title', 'title'], ...ids.map((name) => [name, ways[name]] as const)],
  text: (hit, { style }) => {
    const own = ids.flatMap((name) => textAt(hit, ways[name]) || [])
    const kind = style.dim((textAt(hit, 'kind') || '-').padEnd(9))
    return `${kind}  ${textAt(hit, 'title')}  ${style.dim([...new Set(own)].join('  '))}`
  },
}

const scopes = ['all', 'notes', 'studysets', 'documents'] as const

/** `search TEXT`: the host's own search. */
export const searchCommand = command({
  name: 'search',
  summary: 'Search cards, study sets and documents',
  about: ['The host searches. If it says that it cut the list, the command ends with its own exit code.'],
  args: [{ name: 'text', required: true, about: 'what to search for' }],
  flags: [
    formatFlag,
    { name: 'scope', value: 'SCOPE', choices: scopes, about: 'where to search (default: the host’s)' },
  ],
  examples: [
    { line: 'search photosynthesis --profile work', about: 'everywhere' },
    { line: 'search thesis --scope documents --profile work --json', about: 'documents only, as JSON' },
  ],
  host: true,
  options: optionsOf({ ...formatOptions, scope: z.enum(scopes).optional() }),
  run: (context, [q = ''], { scope, format, json, ...host }) => {
    const query = { q, ...(scope === undefined ? {} : { scope }) }
    return printListing(context, { id: 'search.get', params: {}, query, host, json, format, shown })
  },
})
