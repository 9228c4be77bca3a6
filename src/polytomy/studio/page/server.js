// Calling the server of this page.

const token = new URLSearchParams(location.search).get("token") ?? "";

/** An answer of the server that says why it refused a request. */
class Refusal extends Error {
  constructor(status, answer) {
    super(answer.error ?? `The server answered with status ${status}.`);
    this.status = status;
    this.isStale = Boolean(answer.stale);
  }
}

/** The server does not answer. */
class ConnectionLost extends Error {}

/** A request that was given up. */
class GivenUp extends Error {}

/**
 * Calls a function of the server.
 * @param {string} name
 * @param {Object} given what it is called with
 * @param {?AbortSignal} signal gives the request up
 * @returns {Promise<Object>} its answer; rejected with a Refusal, with ConnectionLost or with GivenUp
 */
async function call(name, given = {}, signal = null) {
  let response;
  try {
    response = await fetch(`/api/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Polytomy-Token": token },
      body: JSON.stringify(given),
      cache: "no-store",
      signal,
    });
  } catch {
    if (signal?.aborted) throw new GivenUp();
    throw new ConnectionLost("The server of this page does not answer.");
  }
  const answer = await response.json().catch(() => ({}));
  if (signal?.aborted) throw new GivenUp();
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}
