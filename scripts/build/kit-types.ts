import ts from 'typescript'

const MAX_TYPE_DEPTH = 40
/** Declares what the users of the kit have, too. */
const PLATFORM_FILE = /\/(?:typescript\/lib|@types\/node)\//

/**
 * Writes out the declarations of the kit: the result contains in full what `testing/api.ts` takes
 * from other files, with the comments of its source, and imports nothing.
 * @param file path of `testing/api.ts`
 * @throws Error if a declaration cannot be written out
 */
export function writeOutKitTypes(file: string): string {
  const program = ts.createProgram([file], readOptions(file))
  const source = program.getSourceFile(file)
  if (!source) throw new Error(`${file} was not read.`)
  const printer = new TypePrinter(program.getTypeChecker(), source)
  const head = /^\/\/[^]*?(?=^import )/m.exec(source.text)?.[0] ?? ''
  const declarations = source.statements.filter((statement) => !ts.isImportDeclaration(statement))
  const parts = declarations.map((statement) => printer.printStatement(statement)).filter((text) => text !== '')
  return `${head.trim()}\n\n${parts.join('\n\n')}\n`
}

function readOptions(file: string): ts.CompilerOptions {
  const configFile = new URL('../../testing/tsconfig.json', import.meta.url).pathname
  const config = ts.getParsedCommandLineOfConfigFile(configFile, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic })
  if (!config) throw new Error(`No options for ${file}.`)
  return { ...config.options, composite: false, incremental: false, noEmit: true, emitDeclarationOnly: false }
}

function onUnRecoverableConfigFileDiagnostic({ messageText }: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'))
}

/**
 * Declarations that name something from another file would be `any` for their users.
 * @returns the first mistake in declarations that stand alone; null if there is none
 */
export function findTypeMistake(text: string): string | null {
  const name = new URL('../../kit-types.d.ts', import.meta.url).pathname
  const options: ts.CompilerOptions = { strict: true, target: ts.ScriptTarget.ES2023, types: ['node'], noEmit: true }
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.fileExists = (path) => path === name || fileExists(path)
  host.getSourceFile = (path, ...rest) =>
    path === name ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2023) : getSourceFile.call(host, path, ...rest)
  const program = ts.createProgram([name], options, host)
  const file = program.getSourceFile(name)
  const [problem] = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  return problem ? ts.flattenDiagnosticMessageText(problem.messageText, '\n') : null
}

class TypePrinter {
  readonly #checker: ts.TypeChecker
  readonly #source: ts.SourceFile
  readonly #names = new Map<ts.Type, string>()

  constructor(checker: ts.TypeChecker, source: ts.SourceFile) {
    this.#checker = checker
    this.#source = source
    for (const statement of source.statements) {
      if (!isTypeDeclaration(statement) || !isExported(statement)) continue
      this.#names.set(checker.getTypeAtLocation(statement.name), statement.name.text)
    }
  }

  /** Types that are not exported only help to declare the others. */
  printStatement(statement: ts.Statement): string {
    if (!isExported(statement)) return ''
    const comment = this.#getComment(statement)
    if (ts.isTypeAliasDeclaration(statement) && this.#isForeign(statement.type)) {
      const type = this.#checker.getTypeFromTypeNode(statement.type)
      const isInterface = !type.isUnion() && this.#isPlainObject(type)
      const text = this.#print(type, '', true)
      const name = statement.name.text
      return comment + (isInterface ? `export interface ${name} ${text}` : `export type ${name} = ${text}`)
    }
    return comment + this.#replaceForeignTypes(statement)
  }

  /** Tells if a type names something that the users of the kit do not have. */
  #isForeign(node: ts.Node): boolean {
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node) || ts.isTypeQueryNode(node)) {
      const name = ts.isTypeReferenceNode(node)
        ? node.typeName
        : ts.isTypeQueryNode(node)
          ? node.exprName
          : node.expression
      if (this.#isForeignSymbol(this.#checker.getSymbolAtLocation(name))) return true
    }
    return ts.forEachChild(node, (child) => this.#isForeign(child) || undefined) ?? false
  }

  #isForeignSymbol(symbol: ts.Symbol | undefined): boolean {
    const declaration = symbol?.declarations?.[0]
    if (!symbol || !declaration) return false
    if (ts.isTypeParameterDeclaration(declaration)) return false
    const file = declaration.getSourceFile()
    if (file !== this.#source) return !PLATFORM_FILE.test(file.fileName)
    return ts.isImportSpecifier(declaration) || ts.isNamespaceImport(declaration) || !isExported(declaration)
  }

  /** Keeps the text of a declaration except for the outermost types that are foreign. */
  #replaceForeignTypes(statement: ts.Statement): string {
    let text = ''
    let position = statement.getStart(this.#source)
    const visit = (node: ts.Node): void => {
      if (ts.isHeritageClause(node) && this.#isForeign(node))
        throw new Error(`An interface may not extend a type of another file: ${node.getText(this.#source)}`)
      if (!ts.isTypeReferenceNode(node) || !this.#isForeign(node)) return ts.forEachChild(node, visit)
      const line = this.#source.text.slice(0, node.getStart(this.#source)).split('\n').at(-1) ?? ''
      const indent = /^ */.exec(line)?.[0] ?? ''
      text += this.#source.text.slice(position, node.getStart(this.#source))
      text += this.#print(this.#checker.getTypeFromTypeNode(node), indent, false)
      position = node.end
    }
    visit(statement)
    return text + this.#source.text.slice(position, statement.end)
  }

  #print(type: ts.Type, indent: string, isDeclared: boolean): string {
    if (indent.length > MAX_TYPE_DEPTH) throw new Error(`A type of the kit has no end: ${this.#toText(type)}`)
    const name = isDeclared ? undefined : this.#names.get(type)
    if (name !== undefined) return name
    if (type.isUnion()) return this.#printUnion(type, indent)
    if (this.#checker.isTupleType(type)) {
      const elements = this.#checker.getTypeArguments(type as ts.TypeReference)
      const labels = (type as ts.TupleTypeReference).target.labeledElementDeclarations
      const texts = elements.map((element, index) => {
        const label = labels?.[index]?.name
        const text = this.#print(element, indent, false)
        return label && ts.isIdentifier(label) ? `${label.text}: ${text}` : text
      })
      return `readonly [${texts.join(', ')}]`
    }
    if (this.#checker.isArrayType(type)) {
      const [element] = this.#checker.getTypeArguments(type as ts.TypeReference)
      const text = element ? this.#print(element, indent, false) : 'unknown'
      return `readonly ${element?.isUnion() || text.startsWith('readonly ') ? `(${text})` : text}[]`
    }
    return this.#isPlainObject(type) ? this.#printObject(type, indent) : this.#toText(type)
  }

  #printUnion(type: ts.UnionType, indent: string): string {
    const texts = new Set<string>()
    for (const member of type.types) {
      // `boolean` is the union of its two values.
      const isBoolean =
        (member.flags & ts.TypeFlags.BooleanLiteral) !== 0 && type.types.filter(isBooleanValue).length > 1
      const text = isBoolean ? 'boolean' : this.#print(member, indent, false)
      texts.add(text.includes('=>') ? `(${text})` : text)
    }
    const isEmpty = (text: string): boolean => text === 'null' || text === 'undefined'
    return [...texts].sort((first, second) => Number(isEmpty(first)) - Number(isEmpty(second))).join(' | ')
  }

  #printObject(type: ts.Type, indent: string): string {
    const index = this.#checker.getIndexInfoOfType(type, ts.IndexKind.String)
    const properties = this.#checker.getPropertiesOfType(type)
    if (index && properties.length === 0) return `Readonly<Record<string, ${this.#print(index.type, indent, false)}>>`
    const inner = `${indent}  `
    const getPosition = ({ declarations }: ts.Symbol): number => declarations?.[0]?.pos ?? 0
    const lines = properties
      .sort((first, second) => getPosition(first) - getPosition(second))
      .map((property) => {
        const declaration = property.declarations?.[0]
        const propertyType = this.#checker.getTypeOfSymbol(property)
        const mark = property.flags & ts.SymbolFlags.Optional ? '?' : ''
        const comment = declaration ? this.#getComment(declaration, inner) : ''
        return `${comment}${inner}readonly ${property.name}${mark}: ${this.#print(propertyType, inner, false)}\n`
      })
    return `{\n${lines.join('')}${indent}}`
  }

  /** An object of data, which is neither a function nor a class of the platform. */
  #isPlainObject(type: ts.Type): boolean {
    if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return false
    if (type.getCallSignatures().length > 0) return false
    const file = type.symbol?.declarations?.[0]?.getSourceFile().fileName ?? ''
    return !PLATFORM_FILE.test(file) || type.symbol.name === '__type'
  }

  #toText(type: ts.Type): string {
    if (type.isStringLiteral()) return `'${type.value}'`
    const text = this.#checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)
    // Before TypeScript 5.7, the type has no parameter.
    return text.replaceAll('Uint8Array<ArrayBufferLike>', 'Uint8Array')
  }

  #getComment(node: ts.Node, indent = ''): string {
    const comment = ts.getJSDocCommentsAndTags(node).find((part) => ts.isJSDoc(part))
    if (!comment) return ''
    const lines = comment.getText().split('\n')
    return lines.map((line, index) => `${indent}${index === 0 ? '' : ' '}${line.trim()}\n`).join('')
  }
}

const isBooleanValue = ({ flags }: ts.Type): boolean => (flags & ts.TypeFlags.BooleanLiteral) !== 0

const isTypeDeclaration = (node: ts.Node): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false)
