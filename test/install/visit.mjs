// node visit.mjs CASE: starts the program as the JSON of the case says, opens its page as a browser
// does, looks at the demo library, and stops it. Prints what it saw as one line of JSON. A program
// of its own, so that it can run where the case runs: as another user, without a network.
import { spawn } from 'node:child_process'
import http from 'node:http'

/** Even a busy machine finishes a visit within this time. */
const MAX_VISIT_MS = 120_000

const { command, cwd, env, startsTwice = false, kill = 'SIGINT' } = JSON.parse(process.argv[2] ?? '')
const observed = {
  url: false,
  page: '',
  state: '',
  notices: [],
  studySets: 0,
  second: null,
  left: '',
  stderr: '',
  error: '',
}
const program = start()
try {
  const address = await program.address
  observed.url = true
  await visit(new URL(address))
  if (startsTwice) observed.second = await end(start())
} catch (error) {
  observed.error = String(error)
}
observed.left = await stop()
observed.stderr = program.stderr().slice(-2000)
process.stdout.write(`${JSON.stringify(observed)}\n`)
process.exit(0)

/** Starts the program in a process group of its own, as a terminal would. */
function start() {
  const child = spawn(command[0], command.slice(1), { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stderr.on('data', (data) => (err += data))
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(String(error)))
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  const address = new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`Nothing was printed in ${MAX_VISIT_MS / 1000} s.`)), MAX_VISIT_MS).unref()
    void ended.then((code) => reject(new Error(`It ended with ${code}: ${err.slice(-1500)}${out.slice(-500)}`)))
    child.stdout.on('data', (data) => {
      out += data
      const match = /^Bridge Inspector: (http:\S+)$/m.exec(out)
      if (match) resolve(match[1])
    })
  })
  address.catch(() => undefined)
  return { child, address, ended, stderr: () => err }
}

/** Waits until a second start exits, and stops one that keeps running. */
async function end(second) {
  const outcome = await Promise.race([second.ended, second.address.then(() => 'runs as well')])
  if (outcome === 'runs as well') process.kill(-second.child.pid, 'SIGKILL')
  return { how: outcome, message: second.stderr().trim() }
}

/** Sends Ctrl+C, and returns whether all processes of the program ended. */
async function stop() {
  const { child, ended } = program
  const signalGroup = (signal) => {
    try {
      return process.kill(-child.pid, signal)
    } catch {
      return false
    }
  }
  signalGroup(kill)
  const late = new Promise((resolve) => setTimeout(() => resolve('late'), MAX_VISIT_MS).unref())
  const exit = await Promise.race([ended, late])
  const rest = signalGroup(0)
  if (rest) signalGroup('SIGKILL')
  return rest || exit === 'late' ? 'still runs' : 'ended'
}

/**
 * Enters as a page does, with the key of the address, the cookie, the ticket and the page's secret,
 * and then makes the page's calls.
 */
async function visit(address) {
  const base = { host: address.hostname, port: address.port, agent: false }
  const first = await ask({ ...base, path: address.pathname + address.search })
  const cookie = String(first.headers['set-cookie']).split(';')[0]
  const ticket = new URL(String(first.headers.location), address).hash.replace('#enter=', '')
  observed.page = /<title>(.*?)<\/title>/.exec((await ask({ ...base, path: '/', headers: { cookie } })).text)?.[1] ?? ''
  const headers = { cookie, origin: address.origin, 'content-type': 'application/json' }
  const post = (path, body, more = {}) =>
    ask({ ...base, path, method: 'POST', headers: { ...headers, ...more } }, JSON.stringify(body))
  const { secret } = JSON.parse((await post('/ipc/enter', { ticket })).text)
  const pageHeaders = { 'x-bridge-inspector-page': secret, 'x-bridge-inspector-load': 'visit' }
  let id = 0
  const call = (method, input) => post('/ipc/call', { id: String((id += 1)), method, input }, pageHeaders)
  const callForValue = async (method, input) => JSON.parse((await call(method, input)).text).value
  observed.notices = (await callForValue('app.info', {})).notices.map(({ code }) => code)
  const before = Date.now()
  while (observed.state !== 'online' && Date.now() - before < MAX_VISIT_MS) {
    observed.state = (await callForValue('connection.get', {})).phase
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const sets = await call('bridge.read', { endpoint: 'studySets.list', params: {}, query: {} })
  observed.studySets = sets.text.split('"topicid"').length - 1
}

function ask(options, body) {
  return new Promise((resolve, reject) => {
    const request = http.request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (data) => (text += data))
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
    })
    request.once('error', reject)
    request.end(body)
  })
}
