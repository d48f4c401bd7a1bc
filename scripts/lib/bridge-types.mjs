// Writes the routes of the contract into the type declarations for panels (resources/bridge.d.ts).
import path from 'node:path'
import prettier from 'prettier'
import ts from 'typescript'
import { z } from 'zod'
import { listErrorCodes } from '../../shared/bridge/endpoint-errors.ts'
import { endpoints } from '../../shared/bridge/endpoints/index.ts'
import { root } from './paths.mjs'

export const bridgeTypesPath = path.join(root, 'resources', 'bridge.d.ts')

const { factory } = ts
const keyword = (name) => factory.createKeywordTypeNode(ts.SyntaxKind[`${name}Keyword`])
const unknownType = () => keyword('Unknown')
const neverType = () => keyword('Never')
const undefinedType = () => keyword('Undefined')
const literalType = (value) =>
  factory.createLiteralTypeNode(
    value === null
      ? factory.createNull()
      : typeof value === 'boolean'
        ? value
          ? factory.createTrue()
          : factory.createFalse()
        : typeof value === 'number'
          ? createNumber(value)
          : factory.createStringLiteral(value, true),
  )
const createNumber = (value) =>
  value < 0
    ? factory.createPrefixUnaryExpression(ts.SyntaxKind.MinusToken, factory.createNumericLiteral(-value))
    : factory.createNumericLiteral(value)
const unionOf = (types) => (types.length === 1 ? types[0] : factory.createUnionTypeNode(types))

/**
 * Returns the text of the declarations with the routes of the contract.
 * @param source the present text, of which everything but `Routes` is kept
 */
export async function createBridgeTypes(source) {
  const file = ts.createSourceFile('bridge.d.ts', source, ts.ScriptTarget.Latest, true)
  const routes = file.statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === 'Routes',
  )
  const declaration = factory.updateInterfaceDeclaration(
    routes,
    routes.modifiers,
    routes.name,
    undefined,
    undefined,
    endpoints.map(toRouteMember),
  )
  const printer = ts.createPrinter({ newLine: ts.NewLineKind.LineFeed })
  const printed = printer.printNode(ts.EmitHint.Unspecified, declaration, file)
  const text = `${source.slice(0, routes.getStart())}${printed.slice(printed.indexOf('export interface'))}${source.slice(routes.end)}`
  return prettier.format(text, { ...(await prettier.resolveConfig(bridgeTypesPath)), filepath: bridgeTypesPath })
}

function toRouteMember(endpoint) {
  const { method, path: template, summary, spec, response, body } = endpoint
  const list = response.kind === 'json' ? response.list : undefined
  const schema = response.kind === 'json' ? toSchema(response.schema) : null
  const unnamedEntry = list?.isUnnamed ? schema.properties?.[list.member]?.items : undefined
  const codes = listErrorCodes(endpoint)
  const members = {
    path: toParameters(endpoint, 'path'),
    query: endpoint.acceptsAnyQuery ? toQueryWithAnyName(endpoint) : toParameters(endpoint, 'query'),
    body: body === null ? undefinedType() : toType(toSchema(body), false),
    response: schema === null ? neverType() : toResponseType(schema, list),
    entry: unnamedEntry ? toType(unnamedEntry, true) : neverType(),
    errorCode: codes.length === 0 ? neverType() : unionOf(codes.map(literalType)),
  }
  return addComment(
    createMember(
      `${method} ${template}`,
      factory.createTypeLiteralNode(Object.entries(members).map(([name, type]) => createMember(name, type))),
    ),
    `${summary} (${spec})`,
  )
}

/** A list whose name the contract does not show is left out, so it is `unknown`. */
function toResponseType(schema, list) {
  if (list?.isBare && !list.isUnnamed) return toType(schema.properties[list.member], true)
  if (!list?.isUnnamed) return toType(schema, true)
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => name !== list.member))
  return toType({ ...schema, properties }, true)
}

const toSchema = (schema) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' })

const toParameters = ({ parameters }, location) =>
  factory.createTypeLiteralNode(
    parameters
      .filter((parameter) => parameter.in === location)
      .map((parameter) =>
        addComment(
          createMember(parameter.name, toParameterType(parameter), !parameter.required),
          parameter.description,
        ),
      ),
  )
const toParameterType = ({ type, values }) =>
  type === 'enum' && values
    ? unionOf(values.map(literalType))
    : type === 'integer'
      ? keyword('Number')
      : keyword('String')
const toQueryWithAnyName = (endpoint) =>
  factory.createIntersectionTypeNode([toParameters(endpoint, 'query'), factory.createTypeLiteralNode([createIndex()])])

/** @param isOpen whether objects have members that the contract does not name */
function toType(schema, isOpen) {
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return unionOf(alternatives.map((alternative) => toType(alternative, isOpen)))
  if (schema.const !== undefined) return literalType(schema.const)
  if (schema.enum) return unionOf(schema.enum.map(literalType))
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return keyword(schema.type === 'string' ? 'String' : 'Boolean')
    case 'number':
    case 'integer':
      return keyword('Number')
    case 'null':
      return literalType(null)
    case 'array':
      return factory.createTypeReferenceNode('ReadonlyArray', [
        schema.items ? toType(schema.items, isOpen) : unknownType(),
      ])
    case 'object':
      return toObjectType(schema, isOpen)
    default:
      return unknownType()
  }
}

function toObjectType({ properties = {}, required = [], additionalProperties }, isOpen) {
  const members = Object.entries(properties).map(([name, member]) =>
    createMember(name, toType(member, isOpen), !required.includes(name)),
  )
  const isMap = members.length === 0 && typeof additionalProperties === 'object'
  if (isMap) return factory.createTypeLiteralNode([createIndex(toType(additionalProperties, isOpen))])
  return factory.createTypeLiteralNode([...members, ...(isOpen ? [createIndex()] : [])])
}

const readonly = () => [factory.createModifier(ts.SyntaxKind.ReadonlyKeyword)]
const createMember = (name, type, isOptional = false) =>
  factory.createPropertySignature(
    readonly(),
    /^[A-Za-z_$][\w$]*$/.test(name) ? name : factory.createStringLiteral(name, true),
    isOptional ? factory.createToken(ts.SyntaxKind.QuestionToken) : undefined,
    type,
  )
const createIndex = (type = unknownType()) =>
  factory.createIndexSignature(
    readonly(),
    [factory.createParameterDeclaration(undefined, undefined, 'member', undefined, keyword('String'))],
    type,
  )
const addComment = (node, text) =>
  ts.addSyntheticLeadingComment(node, ts.SyntaxKind.MultiLineCommentTrivia, `* ${text.replaceAll('*/', '* /')} `, true)
