import { toMarkdownCell as toCell } from '../format/markup.ts'
import { toPointerStep } from '../json/pointer.ts'
import {
  getEntries,
  getResponseCount,
  isDictionary,
  isRecorded,
  listMembers,
  listTypes,
  omitKeywords,
  type JsonSchema,
  type Member,
  type ResponseCount,
  type TypeSchema,
} from './json-schema.ts'
import { toRouteKey, type RouteSchema, type SchemaBundle } from './route-schema.ts'
import { describeSchema, describeType } from './schema-description.ts'
import type { SchemaDifference } from './schema-difference.ts'

const toCode = (text: string): string => `\`${text.replace(/[`|\r\n]/g, ' ')}\``

function formatTable(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const isUsed = columns.map((_, index) => index < 3 || rows.some((row) => row[index] !== ''))
  const format = (cells: readonly string[]): string => `| ${cells.filter((_, index) => isUsed[index]).join(' | ')} |`
  return ['', format(columns), format(columns.map(() => '---')), ...rows.map(format)]
}

/** A reference for people with a heading for each group; `preface` goes below the title. */
export function writeMarkdown({ title, routes }: SchemaBundle, preface: readonly string[]): string {
  const groups = [...Map.groupBy(routes, ({ tag }) => tag || 'undocumented')]
  const contents = groups.map(
    ([tag, members]) => `- [${tag}](#${tag}): ${members.map((route) => toCode(toRouteKey(route))).join(' · ')}`,
  )
  return `${[
    `# ${toCell(title)}`,
    '',
    ...preface,
    '',
    ...contents,
    ...groups.flatMap(([tag, members]) => ['', `## ${tag}`, ...members.flatMap(formatRoute)]),
  ].join('\n')}\n`
}

function formatRoute(route: RouteSchema): string[] {
  const { endpoint, summary, facts, parameters, errorCodes, mediaTypes, body, response, unnamedList, error } = route
  const isJson = mediaTypes.includes('application/json')
  const heading = [...(endpoint === null ? [] : [toCode(endpoint)]), ...(summary === '' ? [] : [summary])]
  return [
    '',
    `### ${toCode(toRouteKey(route))}`,
    ...(heading.length === 0 ? [] : ['', heading.join(' · ')]),
    ...(facts.length === 0 ? [] : ['', ...facts.map((fact) => `- ${fact}`)]),
    ...formatTable(
      ['Parameter', 'In', 'Type', 'Required', 'Basis', 'Meaning'],
      parameters.map(({ name, in: location, isRequired, schema, description }) => [
        toCode(name),
        location,
        toCell(describeSchema(schema)),
        isRequired ? 'yes' : 'no',
        schema['x-basis'] ?? 'spec',
        toCell(description) +
          (schema.default === undefined ? '' : ` Default ${toCell(JSON.stringify(schema.default))}.`),
      ]),
    ),
    ...formatSchema('Body', body),
    ...formatSchema('Response', response),
    ...formatSchema('List', unnamedList),
    ...formatSchema('Error', error),
    ...(isJson ? [] : ['', `Response: ${mediaTypes.map(toCode).join(', ')}`]),
    ...(errorCodes.length === 0 ? [] : ['', `Error codes: ${errorCodes.map(toCode).join(', ')}`]),
  ]
}

const formatSchema = (name: string, schema: JsonSchema | null): string[] =>
  schema
    ? formatTable(
        [name, 'Type', 'Required', 'Basis', 'Meaning', 'Also read from', 'From', 'Recorded'],
        [...listRows(schema, '', null)],
      )
    : []

/** @param member null for what is no member */
function* listRows(schema: JsonSchema, pointer: string, member: Member | null): Generator<string[]> {
  const types = listTypes(schema)
  const place = toCode(pointer === '' ? '/' : pointer)
  const required = member === null ? '' : member.isRequired ? 'yes' : (schema['x-presence'] ?? 'no')
  const meaning = toCell(schema.description ?? types.find(({ description }) => description)?.description ?? '')
  const names = (schema['x-names'] ?? []).map(toCode).join(', ')
  const toRow = (text: string, source = '', count = ''): string[] => [
    place,
    text,
    required,
    getBasis(schema, member),
    meaning,
    names,
    source,
    count,
  ]
  if (types.some((type) => getResponseCount(type) !== null)) {
    for (const type of types) yield toRow(toCell(nameType(type)), type['x-source'], formatCount(getResponseCount(type)))
  } else yield toRow(types.length === 0 ? 'not shown' : toCell([...new Set(types.map(nameType))].join(' | ')))
  for (const type of types) {
    if (type.items) yield* listRows(type.items, `${pointer}/*`, null)
    for (const inner of listMembers(type)) yield* listRows(inner.schema, pointer + toPointerStep(inner.name), inner)
    const entries = getEntries(type)
    if (entries) yield* listRows(entries, `${pointer}/{key}`, null)
  }
}

/** Only the contract says where a statement about a member comes from. */
const getBasis = (schema: JsonSchema, member: Member | null): string =>
  member === null || isRecorded(schema) ? '' : (schema['x-basis'] ?? 'spec')

/** Members and elements have rows of their own. */
function nameType(type: TypeSchema): string {
  if (type.type === 'object') return isDictionary(type) ? 'dictionary' : 'object'
  return describeType(omitKeywords(type, 'items'))
}

const formatCount = (responses: ResponseCount | null): string =>
  responses === null ? '' : `${responses.isExact ? '' : 'about '}${responses.count}`

/** Writes differences as a table for people, for instance for a comment on a change. */
export function writeDifferencesMarkdown(differences: readonly SchemaDifference[], titles: readonly string[]): string {
  const breakingCount = differences.filter(({ isBreaking }) => isBreaking).length
  return `${[
    `# ${titles.map(toCell).join(' → ')}`,
    '',
    `${differences.length} differences, ${breakingCount} of them breaking.`,
    ...formatTable(
      ['Breaking', 'Route', 'Part', 'Pointer', 'Difference', 'Before', 'After', 'A caller'],
      differences.map(({ isBreaking, method, template, part, pointer, variant, rule, before, after, consequence }) => [
        isBreaking ? 'yes' : 'no',
        toCode(`${method} ${template}`),
        part,
        toCode(pointer === '' ? '/' : pointer) + (variant === null ? '' : ` (${toCell(variant)})`),
        rule,
        toCell(before),
        toCell(after),
        consequence,
      ]),
    ),
  ].join('\n')}\n`
}
