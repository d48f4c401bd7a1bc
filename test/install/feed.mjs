// node feed.mjs FOLDER: serves a folder on loopback; of each package, the first time another file
// of the same length. Prints its address.
import { readFileSync, statSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'

const [folder = ''] = process.argv.slice(2)
const servedFiles = new Set()
const server = http.createServer((request, response) => {
  const name = path.basename(new URL(request.url ?? '/', 'http://feed').pathname)
  const file = path.join(folder, name)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end()
  const body = readFileSync(file)
  if (name.endsWith('.deb') && !servedFiles.has(name)) {
    servedFiles.add(name)
    body.fill('another file')
  }
  response.writeHead(200, { 'Content-Length': body.length }).end(body)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/\n`))
