import { toMarkdownCell as toCell } from '../format/markup.ts'
import { toPointerStep } from '../json/pointer.ts'
import type { SchemaDifference } from './schema-difference.ts'
import { describeType } from './schema-description.ts'
import { toRouteKey, type RouteSchema, type SchemaBundle } from './route-schema.ts'
import type { ResponseCount, SchemaModel } from './schema-model.ts'

const toCode = (text: string): string => `\`${text.replace(/[`|\r\n]/g, ' ')}\``

const formatTable = (columns: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0
    ? []
    : [
        '',
        `| ${columns.join(' | ')} |`,
        `| ${columns.map(() => '---').join(' | ')} |`,
        ...rows.map((row) => `| ${row.join(' | ')} |`),
      ]

/** Writes all routes as a reference for people. */
export function writeMarkdown({ title, isPartial, routes }: SchemaBundle): string {
  return `${[
    `# ${toCell(title)}`,
    '',
    ...(isPartial ? ['Only what was recorded. What is not listed may exist.', ''] : []),
    'Paths are relative to `{base_url}/bridge/v1`. A count is the number of recorded responses; about stands before an estimate.',
    ...routes.flatMap(formatRoute),
  ].join('\n')}\n`
}

function formatRoute(route: RouteSchema): string[] {
  const { summary, parameters, errorCodes, body, response, error } = route
  return [
    '',
    `## ${toCode(toRouteKey(route))}`,
    ...(summary === '' ? [] : ['', toCell(summary)]),
    ...formatTable(
      ['Parameter', 'In', 'Type', 'Required', 'Meaning'],
      parameters.map(({ name, in: location, isRequired, schema, description }) => [
        ...[toCode(name), location, toCell(schema.types.map(describeType).join(' | '))],
        ...[isRequired ? 'yes' : 'no', toCell(description)],
      ]),
    ),
    ...formatSchema('Body', body),
    ...formatSchema('Response', response),
    ...formatSchema('Error', error),
    ...(errorCodes.length === 0 ? [] : ['', `Error codes: ${errorCodes.map(toCode).join(', ')}`]),
  ]
}

const formatSchema = (name: string, schema: SchemaModel | null): string[] =>
  schema ? formatTable([name, 'Type', 'Required', 'From', 'Recorded'], [...listRows(schema, '', null)]) : []

function* listRows(schema: SchemaModel, pointer: string, isRequired: boolean | null): Generator<string[]> {
  for (const type of schema.types) {
    yield [
      ...[toCode(pointer === '' ? '/' : pointer), toCell(describeType(type))],
      ...[isRequired === null ? '' : isRequired ? 'yes' : 'no', type.source, formatCount(type.responses)],
    ]
    if (type.kind === 'list') yield* listRows(type.element, `${pointer}/*`, null)
    if (type.kind !== 'object') continue
    for (const member of type.members) {
      yield* listRows(member.schema, pointer + toPointerStep(member.name), member.isRequired)
    }
    if (type.entries) yield* listRows(type.entries, `${pointer}/{key}`, null)
  }
  if (schema.types.length === 0) yield [toCode(pointer === '' ? '/' : pointer), 'not shown', '', '', '']
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
        ...[isBreaking ? 'yes' : 'no', toCode(`${method} ${template}`), part],
        ...[toCode(pointer === '' ? '/' : pointer) + (variant === null ? '' : ` (${toCell(variant)})`), rule],
        ...[toCell(before), toCell(after), consequence],
      ]),
    ),
  ].join('\n')}\n`
}
