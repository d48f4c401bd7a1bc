import { toPointerStep } from '../../../shared/json/pointer.ts'
import { describeType } from '../../../shared/contract/schema-description.ts'
import type {
  MemberModel,
  ObjectModel,
  ResponseCount,
  SchemaModel,
  Span,
  TypeModel,
} from '../../../shared/contract/schema-model.ts'

/** A type that was recorded at a place. */
interface RecordedType {
  /** JSON type with its formats or values. */
  readonly text: string
  readonly kind: TypeModel['kind']
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

/** A tree of two models, of which either may lack a place. */
export function listShapeRows(name: string, recorded: SchemaModel | null, contract: SchemaModel | null): ShapeRow[] {
  const rows: ShapeRow[] = []
  addRows(
    rows,
    { name, key: '#', pointer: '', parentKey: null, isOptional: false },
    recorded?.types ?? [],
    contract?.types ?? [],
  )
  return rows
}

type Place = Pick<ShapeRow, 'name' | 'key' | 'pointer' | 'parentKey' | 'isOptional'>

function addRows(rows: ShapeRow[], place: Place, recorded: readonly TypeModel[], contract: readonly TypeModel[]): void {
  const variants = recorded.filter((type) => type.kind === 'object')
  const isUnion = variants.length > 1
  rows.push({
    ...place,
    recorded: recorded.filter((type) => !isUnion || type.kind !== 'object').map(toRecordedType),
    variantCount: isUnion ? variants.length : 0,
    contract: [...new Set(contract.map(describeBriefly))].join(' | '),
    isSampled: recorded.some((type) => (type.kind === 'list' || type.kind === 'object') && type.isSampled),
  })
  const { key, pointer } = place
  const shownObject = contract.find((type) => type.kind === 'object') ?? null
  if (isUnion) {
    for (const variant of variants) {
      const tag = variant.tag ? `${variant.tag.member} = ${JSON.stringify(variant.tag.value)}` : describeType(variant)
      const variantPlace = { name: tag, key: `${key}/?${tag}`, pointer, parentKey: key, isOptional: false }
      rows.push({
        ...variantPlace,
        recorded: [toRecordedType(variant)],
        variantCount: 0,
        contract: shownObject ? describeBriefly(shownObject) : '',
        isSampled: variant.isSampled,
      })
      addMemberRows(rows, variantPlace, variant, shownObject)
    }
  } else if (variants[0] || shownObject) addMemberRows(rows, place, variants[0] ?? null, shownObject)

  const elements = (types: readonly TypeModel[]): readonly TypeModel[] =>
    types.flatMap((type) => (type.kind === 'list' ? type.element.types : []))
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

function addMemberRows(
  rows: ShapeRow[],
  { key: parentKey, pointer }: Pick<Place, 'key' | 'pointer'>,
  recorded: ObjectModel | null,
  contract: ObjectModel | null,
): void {
  const toMap = (object: ObjectModel | null): ReadonlyMap<string, MemberModel> =>
    new Map(object?.members.map((member) => [member.name, member]))
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
      member?.schema.types ?? [],
      shownMembers.get(name)?.schema.types ?? [],
    )
  }
  if (recorded?.entries || contract?.entries) {
    addRows(
      rows,
      { name: '{key}', key: `${parentKey}/{key}`, pointer: `${pointer}/{key}`, parentKey, isOptional: false },
      recorded?.entries?.types ?? [],
      contract?.entries?.types ?? [],
    )
  }
}

/** The members and elements of a type have rows of their own. */
function describeBriefly(type: TypeModel): string {
  if (type.kind === 'list') return 'list'
  if (type.kind !== 'object') return describeType(type)
  return type.entries && type.members.length === 0 ? 'dictionary' : 'object'
}

/** The values of an enumeration say more than their lengths. */
function toRecordedType(type: TypeModel): RecordedType {
  const isEnumeration = type.kind === 'string' && type.values !== null
  return {
    text: describeBriefly(type),
    kind: type.kind,
    responses: type.responses,
    observed: 'observed' in type && !isEnumeration ? type.observed : null,
    examples: type.kind === 'string' && !isEnumeration ? type.examples : [],
  }
}
