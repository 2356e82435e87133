"""The socket of paced-net, or another one of JSON-RPC, with answers that a test sets."""

import json
import pathlib
import socket
import threading

REPORTS = [
    {"station": "EDDB", "metar": "METAR EDDB 010720Z 24016G34KT 9999 -SHRA BKN030CB 08/06 Q1013=",
     "taf": "TAF EDDB 010500Z 0106/0206 24014KT 9999 BKN030\n  BECMG 0108/0110 30012KT"},
    {"station": "EDAZ", "metar": "METAR EDAZ 010650Z AUTO 23012KT"},
]


class FakeNet:
    """Answers each line with `answer(request)`: a response without its id, bytes, or nothing to close the connection."""

    def __init__(self, directory, answer, name="net.sock"):
        self.directory = pathlib.Path(directory)
        self.answer = answer
        self.asked = []
        self.clients = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.directory / name))
        self.listener.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.clients.append(client)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            for line in client.makefile("r"):
                request = json.loads(line)
                self.asked.append((request["method"], request["params"]))
                answer = self.answer(request)
                if answer is None:
                    client.shutdown(socket.SHUT_RDWR)
                    return
                if isinstance(answer, dict):
                    answer = json.dumps({"jsonrpc": "2.0", "id": request["id"]} | answer).encode() + b"\n"
                client.sendall(answer)
        except OSError:
            pass

    def stop(self):
        for end in [self.listener, *self.clients]:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
