import { z } from 'zod'
import { command } from '../command.ts'
import { formatFlag, formatOptions, optionsOf } from '../flags.ts'
import { textAt, type Shown } from '../listing/printer.ts'
import { printListing } from './listing.ts'

const ids = ['noteid', 'noteId', 'topicid', 'bookmd5', 'id']

const shown: Shown = {
  columns: ['kind', 'title', ...ids].map((name) => [name, name] as const),
  text: (hit, { style }) => {
    const id = ids.map((name) => textAt(hit, name)).find((one) => one !== '') ?? ''
    return `${style.dim((textAt(hit, 'kind') || '-').padEnd(9))}  ${textAt(hit, 'title')}  ${style.dim(id)}`
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
