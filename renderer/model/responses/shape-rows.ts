import { toPointerStep } from '../../../shared/json/pointer.ts'
import { describeType } from '../../../shared/contract/schema-description.ts'
import {
  getEntries,
  getResponseCount,
  isDictionary,
  isSampled,
  kindOf,
  listMembers,
  listTypes,
  type JsonSchema,
  type Member,
  type ResponseCount,
  type Span,
  type TypeSchema,
} from '../../../shared/contract/json-schema.ts'

interface RecordedType {
  /** JSON type with its formats or values. */
  readonly text: string
  readonly kind: ReturnType<typeof kindOf>
  readonly responses: ResponseCount | null
  /** Range of numbers, or of numbers of characters or elements. */
  readonly observed: Span | null
  /** Words that occurred, if they are no enumeration. */
  readonly examples: readonly string[]
}

/** A place in a response, with what was recorded there and what the contract shows. */
export interface ShapeRow {
  /** Unique in the tree. */
  readonly key: string
  readonly pointer: string
  readonly parentKey: string | null
  /** Name of the member; `*` for the elements of a list, `{key}` for those of a dictionary. */
  readonly name: string
  readonly recorded: readonly RecordedType[]
  /** Number of kinds of objects, which have rows of their own; 0 if they are not told apart. */
  readonly variantCount: number
  /** Empty if the contract shows nothing here. */
  readonly contract: string
  /** Some recorded objects do not have the member. */
  readonly isOptional: boolean
  /** Not all elements of a list, or entries of an object, were looked at. */
  readonly isSampled: boolean
}

/** A tree of two schemas, of which either may lack a place. */
export function listShapeRows(name: string, recorded: JsonSchema | null, contract: JsonSchema | null): ShapeRow[] {
  const rows: ShapeRow[] = []
  const place = { name, key: '#', pointer: '', parentKey: null, isOptional: false }
  addRows(rows, place, listTypes(recorded ?? {}), listTypes(contract ?? {}))
  return rows
}

type Place = Pick<ShapeRow, 'name' | 'key' | 'pointer' | 'parentKey' | 'isOptional'>

function addRows(
  rows: ShapeRow[],
  place: Place,
  recorded: readonly TypeSchema[],
  contract: readonly TypeSchema[],
): void {
  const variants = recorded.filter(isObjectType)
  const isUnion = variants.length > 1
  rows.push({
    ...place,
    recorded: recorded.filter((type) => !isUnion || !isObjectType(type)).map(toRecordedType),
    variantCount: isUnion ? variants.length : 0,
    contract: [...new Set(contract.map(describeBriefly))].join(' | '),
    isSampled: recorded.some(isSampled),
  })
  const { key, pointer } = place
  const shownObject = contract.find(isObjectType) ?? null
  if (isUnion) {
    for (const variant of variants) {
      const { 'x-tag': mark } = variant
      const tag = mark ? `${mark.member} = ${JSON.stringify(mark.value)}` : describeType(variant)
      const variantPlace = { name: tag, key: `${key}/?${tag}`, pointer, parentKey: key, isOptional: false }
      rows.push({
        ...variantPlace,
        recorded: [toRecordedType(variant)],
        variantCount: 0,
        contract: shownObject ? describeBriefly(shownObject) : '',
        isSampled: isSampled(variant),
      })
      addMemberRows(rows, variantPlace, variant, shownObject)
    }
  } else if (variants[0] || shownObject) addMemberRows(rows, place, variants[0] ?? null, shownObject)

  const elements = (types: readonly TypeSchema[]): readonly TypeSchema[] =>
    types.flatMap(({ items = {} }) => listTypes(items))
  const [recordedElements, shownElements] = [elements(recorded), elements(contract)]
  if (recordedElements.length + shownElements.length > 0) {
    addRows(
      rows,
      { name: '*', key: `${key}/*`, pointer: `${pointer}/*`, parentKey: key, isOptional: false },
      recordedElements,
      shownElements,
    )
  }
}

const isObjectType = ({ type }: TypeSchema): boolean => type === 'object'

function addMemberRows(
  rows: ShapeRow[],
  { key: parentKey, pointer }: Pick<Place, 'key' | 'pointer'>,
  recorded: TypeSchema | null,
  contract: TypeSchema | null,
): void {
  const toMap = (object: TypeSchema | null): ReadonlyMap<string, Member> =>
    new Map((object ? listMembers(object) : []).map((member) => [member.name, member]))
  const [recordedMembers, shownMembers] = [toMap(recorded), toMap(contract)]
  for (const name of new Set([...shownMembers.keys(), ...recordedMembers.keys()])) {
    const member = recordedMembers.get(name)
    addRows(
      rows,
      {
        name,
        key: parentKey + toPointerStep(name),
        pointer: pointer + toPointerStep(name),
        parentKey,
        isOptional: member?.isRequired === false,
      },
      listTypes(member?.schema ?? {}),
      listTypes(shownMembers.get(name)?.schema ?? {}),
    )
  }
  const [entries, shownEntries] = [recorded, contract].map((object) => object && getEntries(object))
  if (entries || shownEntries) {
    addRows(
      rows,
      { name: '{key}', key: `${parentKey}/{key}`, pointer: `${pointer}/{key}`, parentKey, isOptional: false },
      listTypes(entries ?? {}),
      listTypes(shownEntries ?? {}),
    )
  }
}

/** The members and elements of a type have rows of their own. */
function describeBriefly(type: TypeSchema): string {
  if (type.type === 'array') return 'list'
  if (type.type !== 'object') return describeType(type)
  return isDictionary(type) ? 'dictionary' : 'object'
}

/** The values of an enumeration say more than their lengths. */
function toRecordedType(type: TypeSchema): RecordedType {
  const { 'x-recorded': recorded } = type
  return {
    text: describeBriefly(type),
    kind: kindOf(type),
    responses: getResponseCount(type),
    observed: type.enum ? null : (recorded?.range ?? null),
    examples: recorded?.words ?? [],
  }
}
