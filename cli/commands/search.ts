import { defineCommand } from '../base/command.ts'
import { outputFormatFlag } from '../base/flags.ts'
import { getTextAt, type EntryLayout } from '../output/entry-printer.ts'
import { printList } from './list-output.ts'

/** Names of the ids in the contract; `idPaths` also has the names that some hosts use. */
const idNames = ['noteid', 'topicid', 'bookmd5', 'id'] as const
const idPaths = {
  noteid: 'noteid|noteId',
  topicid: 'topicid|topicId|studySetId',
  bookmd5: 'bookmd5|bookMd5|md5',
  id: 'id',
} as const

const layout: EntryLayout = {
  hasUniqueCells: true,
  columns: [['kind', 'kind'], ['title', 'title'], ...idNames.map((name) => [name, idPaths[name]] as const)],
  formatText: (hit, { style }) => {
    const ownIds = idNames.flatMap((name) => getTextAt(hit, idPaths[name]) || [])
    const kind = style.dim((getTextAt(hit, 'kind') || '-').padEnd(9))
    return `${kind}  ${getTextAt(hit, 'title')}  ${style.dim([...new Set(ownIds)].join('  '))}`
  },
}

const scopes = ['all', 'notes', 'studysets', 'documents'] as const

export const searchCommand = defineCommand({
  name: 'search',
  summary: 'Search cards, study sets and documents',
  description: ['The host searches. If it says that it cut the list, the command ends with its own exit code.'],
  args: [{ name: 'text', required: true, description: 'what to search for' }],
  flags: [
    outputFormatFlag,
    { name: 'scope', valueName: 'SCOPE', choices: scopes, description: 'where to search (default: the host’s)' },
  ],
  examples: [
    { commandLine: 'search photosynthesis --profile work', description: 'everywhere' },
    { commandLine: 'search thesis --scope documents --profile work --json', description: 'documents only, as JSON' },
  ],
  hasHostFlags: true,
  run: (context, [text = ''], { scope, format, json, ...host }) => {
    const query = { q: text, ...(scope === undefined ? {} : { scope }) }
    return printList(context, { id: 'search.get', params: {}, query, host, json, format, layout })
  },
})
