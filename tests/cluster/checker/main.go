// Reads a history of requests on single items, one JSON object per line, and tells which items were not
// linearizable: exit code 1 if there are any, 2 if it cannot tell. The search is porcupine's; the model below is what docs/compatibility.md says about an item.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"sort"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
)

// A request. Values are unique in the whole history, so they stand for etags, too.
type request struct {
	Item   string `json:"item"`
	Client int    `json:"client"`
	Kind   string `json:"kind"`
	Value  int64  `json:"value"`  // what it writes
	Wanted int64  `json:"wanted"` // of a conditional one: the value that must be there
	Called int64  `json:"called"`
	Ended  *int64 `json:"ended"` // none: no answer came, and it may happen at any time from the call on, or never
	answer
}

type answer struct {
	Status    int   `json:"status"` // 0: unknown
	Seen      int64 `json:"seen"`
	SeenCount int64 `json:"seen_count"`
}

// An item. Patches count up, so that one that is carried out twice shows.
type item struct {
	exists bool
	value  int64
	count  int64
}

// What the request does to the item, and its answer.
func carryOut(before item, r request) (item, answer) {
	written := item{exists: true, value: r.Value}
	shows := func(status int, now item) (item, answer) {
		return now, answer{status, now.value, now.count}
	}
	refuses := func(status int) (item, answer) { return before, answer{Status: status} }
	switch r.Kind {
	case "read":
		if before.exists {
			return shows(200, before)
		}
		return refuses(404)
	case "create":
		if before.exists {
			return refuses(409)
		}
		return shows(201, written)
	case "upsert":
		if before.exists {
			return shows(200, written)
		}
		return shows(201, written)
	}
	if !before.exists {
		return refuses(404)
	}
	switch r.Kind {
	case "replace":
		return shows(200, written)
	case "exchange":
		if before.value != r.Wanted {
			return refuses(412)
		}
		return shows(200, written)
	case "patch":
		written.count = before.count + 1
		return shows(200, written)
	case "delete":
		return item{}, answer{Status: 204}
	}
	panic("unknown kind of request: " + r.Kind)
}

var model = porcupine.Model{
	Init: func() interface{} { return item{} },
	Step: func(state, input, output interface{}) (bool, interface{}) {
		after, expected := carryOut(state.(item), input.(request))
		found := output.(answer)
		return found.Status == 0 || found == expected, after
	},
}

func read(path string) (map[string][]request, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	histories := map[string][]request{}
	for decoder := json.NewDecoder(bufio.NewReader(file)); decoder.More(); {
		var r request
		if err := decoder.Decode(&r); err != nil {
			return nil, err
		}
		histories[r.Item] = append(histories[r.Item], r)
	}
	return histories, nil
}

func check(history []request, patience time.Duration) porcupine.CheckResult {
	var operations []porcupine.Operation
	for _, r := range history {
		end := int64(math.MaxInt64)
		if r.Ended != nil {
			end = *r.Ended
		}
		operations = append(operations, porcupine.Operation{
			ClientId: r.Client, Input: r, Call: r.Called, Output: r.answer, Return: end})
	}
	return porcupine.CheckOperationsTimeout(model, operations, patience)
}

func describe(history []request) string {
	sort.Slice(history, func(i, j int) bool { return history[i].Called < history[j].Called })
	text, start := "", history[0].Called
	for _, r := range history {
		end := "never"
		if r.Ended != nil {
			end = fmt.Sprintf("%.6f", float64(*r.Ended-start)/1e9)
		}
		text += fmt.Sprintf("  %.6f - %s client %d: %s value %d wanted %d: %d, %d (%d)\n",
			float64(r.Called-start)/1e9, end, r.Client, r.Kind, r.Value, r.Wanted, r.Status, r.Seen, r.SeenCount)
	}
	return text
}

func main() {
	patience := flag.Duration("patience", 60*time.Second, "time for the search over one item")
	flag.Parse()
	histories, err := read(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	var names []string
	requests := 0
	for name, history := range histories {
		names = append(names, name)
		requests += len(history)
	}
	sort.Strings(names)
	results := make([]porcupine.CheckResult, len(names))
	var running sync.WaitGroup
	slots := make(chan struct{}, 2)
	for number, name := range names {
		running.Add(1)
		slots <- struct{}{}
		go func(number int, history []request) {
			defer running.Done()
			results[number] = check(history, *patience)
			<-slots
		}(number, histories[name])
	}
	running.Wait()
	code := 0
	for number, name := range names {
		switch results[number] {
		case porcupine.Illegal:
			code = max(code, 1)
			fmt.Printf("not linearizable: %s\n%s", name, describe(histories[name]))
		case porcupine.Unknown:
			code = 2
			fmt.Printf("not decided in %s: %s, %d requests\n", *patience, name, len(histories[name]))
		}
	}
	fmt.Printf("%d requests on %d items\n", requests, len(names))
	os.Exit(code)
}
